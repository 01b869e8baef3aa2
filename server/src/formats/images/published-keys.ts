/**
 * Keys whose private part everybody can download. MCUboot: https://github.com/mcu-tools/mcuboot at
 * 2d4bacc3c15ebb6f91c28807fe6eb38b4ba98f77. Trusted Firmware-M: https://github.com/TrustedFirmware-M/trusted-firmware-m at
 * b23e66338d32f6ca76636f3ad121c3a3eb7bf8d3. Mender: https://github.com/mendersoftware/mender-artifact at
 * 246c77f0522842b37afa1e9b77fa3254bf3828ca, and meta-mender at 17e59874adc75bdf5be55f41805ca082f96c29d1. RAUC: `test/openssl-ca` and
 * `test/openssl-enc` of https://github.com/rauc/rauc at 3991031a43f244669889e81f5db18ce56e890b68, and
 * https://github.com/rauc/meta-rauc-community at 00228100ab6dfb4ea53514c15cba02c0d2fa985e. SWUpdate's repositories hold no keys: their
 * tests make their own.
 */

/** Whose, which file, and the SubjectPublicKeyInfo: images name these by a hash, or by nothing. */
export const PUBLISHED_KEYS: readonly (readonly [string, string, string])[] = [
  [
    'MCUboot',
    'cypress-test-ec-p256.pem',
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE/za6DQEnUxqOm0vK9Pgvt9GHBtFi1XIVrPvfQ5zq90maGpb+v6QjSFa8Bb9ypCbJrGVGzTZsXjD6/iJXxhj4NA==',
  ],
  [
    'MCUboot',
    'enc-ec256-priv.pem',
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEikRzAJTJgCcxDSM2a+lpn8vFfMhEGpPm7n2Gpq5ek3J02eFaHJtlGithQSgCc4QSlzotoqBndwLaZxpL3ddxzA==',
  ],
  [
    'MCUboot',
    'enc-rsa2048-priv.pem',
    'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAtCYUST0WEzptnISpi2oQIGHvSASkSyTzADKsIuAwJ3AY5VXIuAU0A7D4pZbSSFjvcLAJ2+NYYu+ZYwGyicSz9p5iv03CitDJTUOj2OUd7GJjCOIgpfx40D50yKQbNq179QauTVGbQM4wT2zq+el06gbunOQUaCC5PecRFIslo/9MivNT7ms+7zTNaj9iaMD/eEyww+aWYfwfGPF6guKPNagrhhakRvusfkHbAgWRbd/B3hOVnPmeXnK6pyWT+9zoq4ZFiEct7e7ul57OXZsEBEB8y3w9LHSrpMxko1yVPdSi3JKyyBjL+QA5gY+PQMLfmSmsisI72KTyra90wBHHmQIDAQAB',
  ],
  [
    'MCUboot',
    'root-ec-p256.pem',
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEKstAPOj+7VukSZWhqR2u6Nu+GTfNFPsvJFc35ZU5iNmUudZa69fN1TCK1v5IskpqgQ7l8H2LaDTMOmr8U476wQ==',
  ],
  [
    'MCUboot',
    'root-ec-p384.pem',
    'MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEDHbKrnI6pejw1PEWtQLvd6Ebk2F4wAkmeztAnO5JheDJT+fyupds84JlFCz1DHMzTTLnm9NCzJVa5eL19G5F4O0gNVyvUjWB1Nyc454iPvs/IhDacAM3rajySP46YGml',
  ],
  ['MCUboot', 'root-ed25519-2.pem', 'MCowBQYDK2VwAyEAw7zfMHZOH120DYkuDQ6rBJwwBk55qO2293kuRpom2nc='],
  [
    'MCUboot',
    'root-ed25519-unknown.pem',
    'MCowBQYDK2VwAyEA0jnq1TWIsPWyQz5LK/J2GQuGh5FcsBMwzUDQxzZnEZU=',
  ],
  ['MCUboot', 'root-ed25519.pem', 'MCowBQYDK2VwAyEA1LMbpJo63T+CXRDKfzG1Cw3ofzfMxJ8aQDpcEyD/tOA='],
  [
    'MCUboot',
    'root-rsa-2048.pem',
    'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA0QYIGhhELBjo+/33DaNPH7vuXvmq0ksY01rpbRiAGfnwnDQby/O8dNtC54x/EFN+Q14NVyxE0WcIDw27XO7ss5nf4E2EC6p3QWDtFShJpwG0PBDmaYwvX6xBTZ5cFN/y+M89Hm/nW7q0qciIfkc8lMN3Z1RLqo04NcpiYX634RXbd3PUvntyIYlpJPv4ZW5kPsgO14XVXErkUw0v/7f98xM5gz+jrtIPp2qd+f64zvoqvq+44PqCN1T0PuEr0NMIWBj2XkzIiIExrV+wghfyimknI/Orhz6TGh3+6PgaJGZZ+Byr3M5oG2ZkNez6DRGdr1w6p9FnxkfvsUssYuHRyQIDAQAB',
  ],
  [
    'MCUboot',
    'root-rsa-3072.pem',
    'MIIBojANBgkqhkiG9w0BAQEFAAOCAY8AMIIBigKCAYEAtCwOmFgQpKdYmXwB3QgqKDQz+JYaNCBdRchxJiXl0pbqe7EVqqaKYyKLLU6Bc79uFWiMGvTvKo+MIp5xV0veD35y03q4px1ErYcAg1z9cwVyRj+L+RAA2G7Mhe35Sdt4NoBJOHbdX1QE2ow0pysTJW/RFU+twuGl0k5XDH6cm7pOaLLgJQKqANO0zC945b5HZx/IbiJsXmG2ms3lqLp6gBMbFy6W7c+zm+Qc6K2n9jpRZl6ZjofuYCX4jb7OpKjKk2zXv9RzM41EhcxzMAicTbKqWmxve6u3s3zD++fKxPiab8u7W4LneugZ/S8RIvt/doxrlKQJT6Vqd1Hrp37ahwbu3L7R6hpAHRv/GrFRfBKw8/aDAZznDJm/rGhYcqSwWYXuhawqIvTPFQiAHw3QHqCglMj3+mXdUuiWNyMwVzbmnfQMSgV1H60ByrdtjEN0BgqB8wFi//f1X6/nKw74gbVl3QHZnwcXihjPI26IZZG1e9OwLa+TZmN0rFrmc947AgMBAAE=',
  ],
  [
    'MCUboot',
    'samples/zephyr/bad-keys/bad-ec-p256.pem',
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEcX9ExNjZfsckp6AdutjPjVJsvP6ZZkKfLsGnRpKR+9OpO9/qmJHsks+ZXo70SEANjWnNlxKNAVci8aUm8UskLw==',
  ],
  [
    'MCUboot',
    'samples/zephyr/bad-keys/bad-rsa-2048.pem',
    'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAzXhCIc6kig0DRWEyKj4N8v/bfvh/RmU73Jo0Z0RAFSLnFrE55W5C9tsdDalhN5HV7xBQCzr7GSW1C6MNvtw/lVr4+x4LvgwYD6kl+9IZc5udPIJ1R7aLBP2o4r6rJWtCj9Y6bifsMlVkHCONIHDGhp3bSl+9C2EqfwqJENg3mHYyZcbrkBfLhILE24T+MhxkPZiI3Ox6XthwT7Is8ZCXF6VCYaK6N8jXAXz8OiEhIpMl3Z3mDqxaM0ovSXfXvOfMeKN76iI9m8S4JnPbuzu+/5GdSnNbIxoluzXU7e52FoKgthNM2mArAak5x3IqsStY0qDCODSlNnSha9+jfk8ULwIDAQAB',
  ],
  [
    'MCUboot',
    'testplan/mynewt/key_ec256.pem',
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEbmhhf9fiyT20CixtsNDO/lS4lq38YIeJQektIcg+HV7Dd/1iX7v72hCnWiOq/AG13HM9N8FFj5A7Zv0rlWacyQ==',
  ],
  [
    'MCUboot',
    'testplan/mynewt/key_ec256_2.pem',
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEDv6jJOUwhCpzEH3T7yWlAOZRTLIlC0q/JMHyJR0PkPMS+eyq7fEphOnAXbCNx5PLyVLR2NSnOU1A6QiLHW1j0A==',
  ],
  [
    'MCUboot',
    'testplan/mynewt/key_rsa.pem',
    'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA4khfMQhQLk9tv83QCfFc1gjphM91LIgHzA75U65KmpO0G1VDt34QqFDZFJAFgBWgjNvcGwNW1keURKHoFfR3SWBFNKQXmoGo/LbZIfZo+noT5SXNpQt3Cl/2C500j8P0kferKBJS3LuykoCY4hMz58MqHCeY/P8H210W0lDBjhL6lZhRkbv57sNlpALgv7axxiDHn/5jYWpo9gjKVTLAUN2NUnMDer7XMtlhmRn/DeaCyBw9BxrpqHutdSwmhz1nK1rEf3CGcIp+7ekvvirVtDN7zInNVwi7ct8AjuqKKqigHLiKYa8yPUHp9rGic8L/0TJVH9oJI8GDUeFP1WU+lwIDAQAB',
  ],
  [
    'MCUboot',
    'testplan/mynewt/key_rsa_2.pem',
    'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEArKyBv+rzsk2frv0lqcYNJ0o2ahMwS/lpXXvfkd9cGvgX+Xf+Zdv54VHO6cpvp1CExOoeVwhK+78ETYTXuOqIzJB2uv+MtcvlwN/OH14g0TmMb14Zn3iaV9I9/VLEt2BxI0gAp+megUAz5CW66BMw/cfxX0jvWYhHr8qFRWSbZkExivwyb10azCw+g6xk+NlOddd9x0Jw1UjIZcSKoVdLcuhctBTqteMqhFUIsR9LjzEj0VQknXtHFABIXGsc4J20WvLMueLIyd5AW1J4EKLHLcpvBuNFQTil3U8T5mmdfarVaqVr7AHINsv3ROIw6sWzA1S9baB8Ok9cDzkZLK0XgwIDAQAB',
  ],
  [
    'Trusted Firmware-M',
    'root-EC-P256_1.pem',
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE6AkIEjoPrUDgM4qmVPiDlUGORJmiD66FaSv5JrXpnhYsh3ZifzJsm3B4BlJSUsor0rfHUAdmOzvf4ZlpACYsMw==',
  ],
  [
    'Trusted Firmware-M',
    'root-EC-P384_1.pem',
    'MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAENEOtWYPZQWXcILhiNfh9lBNedeaoeenL/acukpWCpsXdU8c9Ru111SC1vnQqbTDiMVAcf8d7SnNV+JJg/y8YBLzH2c7apjZS7CtkbnqXYJ2Muv7smrDCbj11KpiyowmE',
  ],
  [
    'Trusted Firmware-M',
    'root-RSA-2048_1.pem',
    'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEArNJ0kz5f56/yyGzoWFFjdw5S/ljVu6XjnIrNFAqJxhWuSQSfXz0riRIfPn8F/AuZJmNelu8zvIwnaE1GjWYzmTs4ERvjrBgHlUiHsqtPLQ4SURt/M7p4sdX6f79xS+RfZ1dn1au7ZAYXPYHr2MH5elfTKVwQ/6fTOlg/JYrFhHuXJ6XkkOffHDPmfK9od14fCW7dkmBOrHOEsPe2AsLOn6+tsrFXzPkGHWolL3Iqff4N7bjClYhB8kWobmqF7q76inn6/n5ASUPsLI6Ogn7i+A/y6X2jf6wjvQpC6hj7cqCaJAHIJ4xWJJOC3yMZlnPyEcMF5qW4C+BzzgebV+aO+wIDAQAB',
  ],
  [
    'Trusted Firmware-M',
    'root-RSA-3072.pem',
    'MIIBojANBgkqhkiG9w0BAQEFAAOCAY8AMIIBigKCAYEAnLrCWr/MxU8gDE9vbFFPXAqrgLhrEMSbK8RSMglLOyeUah3VTKhcoMB2lXsmBLETfngn1gy06LAtklKK+2n/QhCqVgyDyGVuug1fjvcrKZL8Qi0t+YD1hSGH6qxAqMvQqDvi0uzwFEgOzyuKS6TNoQVbF2Yd3m5E/kajDdBpv4ytqRZoUet5kSDmgQMHiUBVS+vPZ/gxxxxUTlILYOiiUAfRz84SJs2Ogo1OZKn3xyGZJQfdxdVf9GP6zCvaBlxZZ7AGNemqkkU15aAD/xwCtcdOlEturXOdzm8Js7GPYGyi+s13D8wn5jZYs1L3j75JmLfpYP2XV83q0wvfokL3RNOH3uAQA5Ta/LzdvpOzSitY3JYS8m8jujs3/vwYH3V9VAEOvj0YE7MouTQs1fvFM72HvTvkHdcCPRxyZXJDQzao+uZzLaRh6AKcOlZNHNF2nIyqXxvrHEr1ubhvQUsnh972lB/d5vGpwgLCT6P8pANa2W94/YTw5f09pU0brVtLAgMBAAE=',
  ],
  [
    'Trusted Firmware-M',
    'root-RSA-3072_1.pem',
    'MIIBojANBgkqhkiG9w0BAQEFAAOCAY8AMIIBigKCAYEAv7ewn+jI0f4WHVOHl3kcFceZFmzKuC3Kwg1i+euP6ToYQ0fXu9VivOMzY6ejqFzzI3j9LQchH7lUcCipCNpQfp6OzGhOf0gN6ifoxu+tX51GSrxpmjBfO8FSkvi8ddQ8J3BAAKYuKH9Z5WBDEdwxCX3PL0E/tlIao0kW8rWznDz7XiwfIoa9rr42Ur3E8FhpNqeAPoGzVJjkXZXtIfC6riH7xBmHVdErTwDYQVjL26maU+lsZ8t8XfaRBnVS8sB+sWtdMEBAL9gelTwFl3/wBPBOLNU5DpQ9fAMIHQkI8o1EDc+zlj1aduj27pNk6FfR4vULGGlv6eE9+IlJKOavuKjGQlUtwduMXbJtf/4m6nXZ/R/cIjukG6et63HfvbQ30eu+CBAceIQcmnXEreXvcxesaXi81jeMDBQhBke9+AqsGQmdDR1y4T4adOqG2VxKzczGlKf+2guHEbtr8DrjT4JPseSkzbxwPJ2cSfnPKG242m99OFdVQypzjbYY/XCnAgMBAAE=',
  ],
  [
    'Trusted Firmware-M',
    'tfm_initial_attestation_key.pem',
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeeupDov0UKZ1FXatRZmwet+TjaO7C9F9ADbtSaLQ/D+/zfqJVrVov9uGc+ZI2LWNkplVsUomwwgPNBF9lx1oZA==',
  ],
  [
    'Trusted Firmware-M',
    'TFM_S_KEY_PRIV.pem',
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqRDosvLFLGzZO9qpzLoVXIqL9PNcHabuix7aMpmTnCb4O/Q3jEgJlScpEs0OuNWML3GtXEfz5VU8BmnKyb7+7w==',
  ],
  [
    'Mender',
    'artifact/azure/signer_test.go',
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE9iC/hyQO1UQfw0fFj1RjEjwOvPIBsz6Of3ock/gIwmnhnC/7USo3yOTl4wVLQKA6mFvMV9o8B9yTBNg3mQS0vA==',
  ],
  [
    'Mender',
    'artifact/signer_test.go',
    'MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEWZjqu0GV92frGjPtw3Nfcbgf94iDTstOmt1TI/Ccox6nzveyV5GluER2J+CWpIfxI4VOLEKVB6XLKeVe31wibY1H2TYG74YATV0fjqvesoAoN7mtpi/+LolNrz51/rQI',
  ],
  [
    'Mender',
    'artifact/vault/signer_test.go',
    'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAvTNpmusLgLZgfNI9Q3hwNo77GhlhMSA6eABo6VySYZLgREgKTuLJ3XCoPjzwZNAZ4mEDKEmI+Q53Pl+09SEIsWnuqNGByJbsfjLufPQ44hXgu3NuTafWzJWoWlDf7UbQxB5NFmKsxm2630Dn3n8qekfFeGh3GqGQmAu0wq/atafqXbLQOj6EcVuWz9lXOuh69FZ8dMPIKsQusYhKQID33Bqn3tiL3xLSk0BXTPPfgBHB6VeL5nx6rUeG9nktX/SZeaLmQwrvEahy2IhomW7TofqIfhUwCb9gDSOR3qj04OCxV/wpRn8DkKO5priruZWxyKSYOSpJwAxmeKjRt0F8twIDAQAB',
  ],
  [
    'Mender',
    'artifact/vault/signer_test.go',
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEjcVaILqOxs7FJdHGt8tmegcTPhWMdZRUTbT33lRY6f4z6ZNM6TiPNSr0paHZ+j/kFTbbrCVZ7cFxZVGVNLHU+Q==',
  ],
  [
    'Mender',
    'cli/copy_test.go',
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEzzRKBsM1lJ+z/ljS+9kCAJCiTB6+HbyD2TE2hLKGj9xnFkzOHnEj7KybiE2PAx6skWvCPqBP5+H0d68jN9mOAw==',
  ],
  [
    'Mender',
    'test-private-EC.pem',
    'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEQJM/47Pfluk5oVHzODaC9DP+NDr71aMLetwvxNpmkWOIc2zyQWRDqz8R63W1JbwOfw+xo8cmA5T2fYb3sqkPyQ==',
  ],
  [
    'Mender',
    'test-private-RSA.pem',
    'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA7GtLYJwJeQ+kuMLnvsi7PhGjS1kQMpSWy7iJAK3gcGjN6QyLuE8P63wP5z1KrNs7s4EXgM/HYD9RomEW6isamW3VZfyW/WTd62cY80NjvE7HGYJTAjGWLG2eOgtcbH0UoJxCUQmyt9VED/fcRDwtYt6gLGcimGmyPEMXZebzW2GVy8teEJCkIYf9DIFlcGMaVv9fZbGbU1u40DUzpSa1FCPUmGAHQvJ7ys/r/HQagRKUaIQFFIhdLEI8/35+qeNXKd9j8akepGW4v+9AeALtOCnH93eerVM3hQHiP8stggSu52HTrFTsBaoYxNycrS7xQ8DE/YTQPYfK8Fbo8EYwSQIDAQAB',
  ],
]

/** By the SHA-256 of the SubjectPublicKeyInfo: the file of RAUC. Messages of CMS carry the certificate of their signer. */
export const PUBLISHED_CERTIFICATES: ReadonlyMap<string, string> = new Map([
  ['0034f8fe5adc3b0dfe642407275d144de2398c68cc9a86dd6703d7151116b44e', 'root/ca.cert.pem'],
  ['47d49d739b11fbfdab792a0736b7ef893f345fd49bf3550fc104e7cc2f32db11', 'rel/ca.cert.pem'],
  ['469e16e2dc1e09f85b7f71d5dfd0a4917ffead247b47e437bf76213a3849895b', 'dev/ca.cert.pem'],
  [
    '8dce10c952c3423d5a4e33b1bd2104293eec31ac384b5b9cbd3a10321e65ee8d',
    'dev/autobuilder-1.cert.pem',
  ],
  [
    'bfda383519d81b8e2660913e5de1df5fa4914462b46974b35149d952ec63ede7',
    'dev/autobuilder-2.cert.pem',
  ],
  [
    '87b8b30dcb3bacd792dae0a5cbb5de9c899061cb0a95e6e9db4e468998540ba9',
    'dev/xku-codeSigning-openssl.cert.pem',
  ],
  [
    '02e2d5f7ab36b26d88f9af1a543a1bc61c4b24c276d0ec5cc63fd9e39a5576a2',
    'dev/xku-codeSigning-rauc.cert.pem',
  ],
  [
    '9f6214965237fca714871dded3de4f0422b809d544d22c82600b0955b955df67',
    'dev/xku-emailProtection.cert.pem',
  ],
  ['7543da0c40a4623a30c971097a62ad7bd8ea8123bf5a3d5d559310dadad8c5a1', 'dir/a.cert.pem'],
  ['7a73f59d216cadd4137fc83d76eb8493a55e65027ddd2440e21f5626dd6cb869', 'dir/b.cert.pem'],
  ['9467ab3108043d2d62d5ee58d62f867af27794299b461100ecd47b1b1d428e5a', 'rel/release-1.cert.pem'],
  ['f5207b5090672f846fa6d0f8d35d7f4d20ab2be5c5485828f32f7a0539e548b6', 'rel/release-2018.cert.pem'],
  [
    'a35499013cb4312da186ec8b6ef50b9716432e298ac7661136f3e5f2b6130227',
    'root/private/xku-emailProtection.pem',
  ],
  [
    '17854c45bbdbb19424bfc5157779e8f276ef4711a9b9c60aedebcd905e05808e',
    'root/xku-timeStamping.cert.pem',
  ],
  ['96b1b325b2d58341159e51c6c4265172430c9a3251bbef8a84276c6ec50d16b7', 'web/ca.cert.pem'],
  ['fe1fc039a2a3ec13bd3cba8726b19cdc0bd468b92233de71ef58dc7c7a32715e', 'web/client-1.cert.pem'],
  ['65ed45194d60e72274d4cc06bca31ecfdcb5e261a73f23a2b9271e238046f817', 'web/server.cert.pem'],
  [
    '55126f4e6cf876ba8bf2b6eaf120416d32e746627ad412f608cf8646a5fbd837',
    'openssl-enc/keys/ecc/cert-000.pem',
  ],
  [
    '7cf9f8770ea47c5c86cb0e18aeeff8c1e5c36f1b76dfae56a9773a1fb93d14d0',
    'openssl-enc/keys/ecc/cert-001.pem',
  ],
  [
    'f2356665947de309e81d6b6ac9b887944bd163a4935cfb2252bb82be9c0ce4da',
    'openssl-enc/keys/ecc/cert-002.pem',
  ],
  [
    '204c3550d25583878115017d2f35cb5c01ba32866c931dc353e7a4329ffc8f29',
    'openssl-enc/keys/ecc/cert-003.pem',
  ],
  [
    'a66814ac1d011ae964ef61d69b5232e0337a69e50a732b9269506e4e227165d6',
    'openssl-enc/keys/ecc/cert-004.pem',
  ],
  [
    '67585ac8c23ba4c909d9de2b453b993cdf60faed3a7b9edc81c00478739aa286',
    'openssl-enc/keys/ecc/cert-005.pem',
  ],
  [
    '4a4592e141a23aafc23c56daa1d880352fd55dc1f5458f14609b81d8aad56721',
    'openssl-enc/keys/ecc/cert-006.pem',
  ],
  [
    '975d6568930772c167fa4e418cd22db00d999de5b760411bcc850c810c8d5530',
    'openssl-enc/keys/ecc/cert-007.pem',
  ],
  [
    '94d363506d90a21162adffd952bdf90deeb725fe74af479c49c35b085b3babc6',
    'openssl-enc/keys/ecc/cert-008.pem',
  ],
  [
    '91f0a29334d5c99c5c4e17691ec977ad996660ed660e11b3bc27da6b411178f6',
    'openssl-enc/keys/ecc/cert-009.pem',
  ],
  [
    '046a99c2aba6d1b1a666c261f5cd1b179695514e6aa2bd7d25abdc40d136baa8',
    'openssl-enc/keys/rsa-4096/cert-000.pem',
  ],
  [
    '68161ea0e589e831b49b2ac86ee9107ed6f91cebcc1888337efca3447e3d21cd',
    'openssl-enc/keys/rsa-4096/cert-001.pem',
  ],
  [
    '45060ff666ca955ece7d2ecc5bca4b6d799623c3fc09e74dcf02ba762c67f9ec',
    'openssl-enc/keys/rsa-4096/cert-002.pem',
  ],
  [
    'd9c5f4250625e354249f00858fe6a41f50f9bd9987d1d12807e771bd06717197',
    'openssl-enc/keys/rsa-4096/cert-003.pem',
  ],
  [
    '196569b688c0391a6969f6017e62a8b1dc1a7c49d4a58a885c68a5b8cbc86ad8',
    'openssl-enc/keys/rsa-4096/cert-004.pem',
  ],
  [
    'cce76c422aae1a6409acab23b7a0de83732f562656ab0aa0ff24b57a21e7c018',
    'openssl-enc/keys/rsa-4096/cert-005.pem',
  ],
  [
    '2c1c6778f5a9fa1b05f426f12df1af1bed08350aa40187888591b120637c3070',
    'openssl-enc/keys/rsa-4096/cert-006.pem',
  ],
  [
    '83a289b86544b10bc4739674cd449fd63b757ed9c597786e9d3a4b18a2a13e03',
    'openssl-enc/keys/rsa-4096/cert-007.pem',
  ],
  [
    'f6baf6072ebe1e7795f21eafe899fb7dfc5bdf3c185b987b142db523423e0794',
    'openssl-enc/keys/rsa-4096/cert-008.pem',
  ],
  [
    '09676ea676df930f099bd51ad4b274cf69e85c560ed3d7323e754a1baa641c29',
    'openssl-enc/keys/rsa-4096/cert-009.pem',
  ],
  [
    'ab32fd42e6142387b0a954a92d2338ae6876bd877f04bcd5ec29790112d032bb',
    'meta-rauc-community/development-1.cert.pem',
  ],
])
