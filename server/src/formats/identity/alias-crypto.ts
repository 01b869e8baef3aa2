/** Cryptography, TLS, SSH and keys. */
import { parseAliasTable } from './alias-table.ts'

export const CRYPTO_ALIASES = parseAliasTable(String.raw`
AWS-LC | | aws/aws-lc | aws-lc | | https://github.com/aws/aws-lc/security/advisories
AWS s2n-tls | | aws/s2n-tls awslabs/s2n | s2n-tls | s2n-tls | https://github.com/aws/s2n-tls/security/advisories
axTLS | axtls_project:axtls | | axtls | axtls |
BearSSL | | www.bearssl.org/git/bearssl | bearssl | bearssl | https://www.bearssl.org/
BoringSSL | google:boringssl | google/boringssl | boringssl | | https://boringssl.googlesource.com/boringssl
Botan | botan_project:botan randombit:botan | randombit/botan | botan | botan botan2 botan3 | https://botan.randombit.net/security.html
Crypto++ | cryptopp:crypto++ | weidai11/cryptopp | cryptopp crypto++ libcrypto++ | libcrypto++ crypto++ cryptopp | https://www.cryptopp.com/
cryptoauthlib | microchip:cryptoauthlib | microchiptech/cryptoauthlib | cryptoauthlib | |
GnuPG | gnupg:gnupg | gpg/gnupg | gnupg | gnupg gnupg2 |
GnuTLS | gnu:gnutls gnutls:gnutls | gnutls/gnutls gitlab.com/gnutls/gnutls | gnutls | gnutls gnutls28 | https://www.gnutls.org/security-new.html
libassuan | | gpg/libassuan | libassuan | = | https://gnupg.org/software/libassuan/index.html
libgcrypt | gnupg:libgcrypt libgcrypt20_project:libgcrypt20 | gpg/libgcrypt | libgcrypt | = libgcrypt20 |
libgpg-error | gnupg:libgpg-error | gpg/libgpg-error | libgpg-error libgpg_error | libgpg-error |
libhydrogen | | jedisct1/libhydrogen | libhydrogen | | https://github.com/jedisct1/libhydrogen
libksba | gnupg:libksba libksba_project:libksba | gpg/libksba | libksba | = |
LibreSSL | openbsd:libressl | libressl-portable/portable libressl/portable | libressl | = |
libsodium | | jedisct1/libsodium | libsodium | = | https://doc.libsodium.org/
libssh | libssh:libssh | libssh/libssh-mirror gitlab.com/libssh/libssh-mirror git.libssh.org/projects/libssh | libssh | = | https://www.libssh.org/security/
libtasn1 | gnu:libtasn1 free_software_foundation_inc.:libtasn1 | gnutls/libtasn1 gitlab.com/gnutls/libtasn1 | libtasn1 | = libtasn1-6 |
LibTomCrypt | libtom:libtomcrypt libtomcrypt:libtomcrypt | libtom/libtomcrypt | libtomcrypt | = |
LibTomMath | libtom:libtommath | libtom/libtommath | libtommath | = |
libtpms | libtpms_project:libtpms | stefanberger/libtpms | libtpms | = |
MatrixSSL | matrixssl:matrixssl peersec_networks:matrixssl | matrixssl/matrixssl | matrixssl | |
Mbed Crypto | arm:mbed_crypto | armmbed/mbed-crypto | mbed-crypto | |
micro-ecc | micro-ecc_project:micro-ecc | kmackay/micro-ecc | micro-ecc | |
Monocypher | | loupvaillant/monocypher | monocypher | | https://monocypher.org/changelog
Nettle | nettle_project:nettle | gnutls/nettle | nettle | = |
NSS | mozilla:network_security_services mozilla:nss | nss-dev/nss | nss network_security_services | nss |
OpenSC | opensc_project:opensc opensc-project:opensc opensc:opensc | opensc/opensc | opensc | = |
OpenSSH | openbsd:openssh openssh:openssh | openssh/openssh-portable | openssh openssh-portable | openssh | https://www.openssh.com/security.html
p11-kit | p11-kit_project:p11-kit | p11-glue/p11-kit | p11-kit | = |
picotls | h2o_project:picotls dena:picotls h20:picotls | h2o/picotls | picotls | |
swtpm | swtpm_project:swtpm | stefanberger/swtpm | swtpm | = |
TinyCrypt | | intel/tinycrypt 01org/tinycrypt | tinycrypt | | https://github.com/intel/tinycrypt
tinydtls | eclipse:tinydtls contiki-ng:tinydtls | eclipse/tinydtls contiki-ng/tinydtls | tinydtls | |
TPM2 tools | tpm2-tools_project:tpm2-tools tpm2-tools_project:tpm2.0-tools | tpm2-software/tpm2-tools | tpm2-tools | = |
TPM2 software stack | tpm2_software_stack_project:tpm2_software_stack | tpm2-software/tpm2-tss | tpm2-tss | = |
wolfMQTT | wolfssl:wolfmqtt | wolfssl/wolfmqtt | wolfmqtt | |
wolfSSH | wolfssl:wolfssh wolfssh:wolfssh | wolfssl/wolfssh | wolfssh | |
yaSSL | yassl:yassl wolfssl:yassl | yassl/yassl | yassl | |
`)
