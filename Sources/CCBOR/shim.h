#pragma once

#include <cbor.h>
#include <cbor/callbacks.h>
#include <cbor/streaming.h>
