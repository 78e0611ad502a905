// What the baselines call of OpenSSL, without anything of Assay in between.
#include <openssl/evp.h>
