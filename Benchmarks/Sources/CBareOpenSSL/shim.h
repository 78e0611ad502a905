// What the baselines call of OpenSSL, without anything of Assay in between.
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
