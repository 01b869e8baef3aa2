/** The product line of the demo: what each version of its three firmwares is made of. */
export type BuildTool = 'yocto' | 'west' | 'buildroot'

export interface Product {
  slug: string
  name: string
  description: string
  builtBy: BuildTool
  /** The oldest first. */
  versions: readonly ProductVersion[]
}

export interface ProductVersion {
  name: string
  /** The day of the build. */
  built: string
  /** What is declared, by the name that the build tool uses. A version of `gone` was removed. */
  changes: Readonly<Record<string, string>>
}

export const GONE = 'gone'

export const GATEWAY: Product = {
  slug: 'gateway',
  name: 'Harbour gateway',
  description: 'Linux gateway between sensors and the plant network, built with Yocto',
  builtBy: 'yocto',
  versions: [
    {
      name: '4.0.0',
      built: '2025-11-24',
      changes: {
        'linux-yocto': '6.6.111',
        glibc: '2.39',
        busybox: '1.36.1',
        openssl: '3.5.3',
        curl: '8.16.0',
        zlib: '1.3.1',
        expat: '2.7.1',
        dropbear: '2025.88',
        mosquitto: '2.0.22',
        libxml2: '2.14.6',
        'wpa-supplicant': '2.11',
        inetutils: '2.6',
        sqlite3: '3.50.4',
        systemd: '257.8',
        dbus: '1.16.2',
        swupdate: '2025.05',
        'u-boot': '2025.07',
        'util-linux': '2.41.1',
        e2fsprogs: '1.47.3',
        iproute2: '6.16.0',
        iptables: '1.8.11',
        dnsmasq: '2.91',
        chrony: '4.7',
        modemmanager: '1.24.2',
        libqmi: '1.36.0',
        ncurses: '6.5',
        readline: '8.3',
        kmod: '34.2',
        xz: '5.8.1',
        zstd: '1.5.7',
        libffi: '3.5.2',
        pcre2: '10.46',
        'ca-certificates': '20250419',
        tzdata: '2025b',
        'gateway-app': '4.0.0',
      },
    },
    {
      name: '4.0.1',
      built: '2025-12-15',
      changes: { openssl: '3.5.4', curl: '8.17.0', expat: '2.7.3', 'gateway-app': '4.0.1' },
    },
    {
      name: '4.1.0',
      built: '2026-01-28',
      changes: {
        inetutils: GONE,
        openssl: '3.5.5',
        curl: '8.18.0',
        'linux-yocto': '6.6.121',
        glibc: '2.42',
        'gateway-app': '4.1.0',
      },
    },
    {
      name: '4.2.0',
      built: '2026-03-20',
      changes: {
        curl: '8.19.0',
        expat: '2.7.4',
        zlib: '1.3.2',
        dropbear: '2025.89',
        glibc: '2.43',
        busybox: '1.37.0',
        'gateway-app': '4.2.0',
      },
    },
    {
      name: '4.2.1',
      built: '2026-05-05',
      changes: {
        'linux-yocto': '6.6.137',
        openssl: '3.5.6',
        expat: '2.7.6',
        'gateway-app': '4.2.1',
      },
    },
    {
      name: '4.3.0',
      built: '2026-06-23',
      changes: {
        openssl: '3.5.7',
        curl: '8.20.0',
        modemmanager: '1.26.0',
        libqmi: '1.38.0',
        'gateway-app': '4.3.0',
      },
    },
    {
      name: '4.3.1',
      built: '2026-07-07',
      changes: { curl: '8.21.0', modemmanager: '1.24.2', libqmi: '1.36.0', 'gateway-app': '4.3.1' },
    },
    {
      name: '4.4.0',
      built: '2026-09-14',
      changes: {
        openssl: '3.5.8',
        curl: '8.22.0',
        expat: '2.8.3',
        'linux-yocto': '6.6.148',
        'gateway-app': '4.4.0',
      },
    },
    {
      name: '4.5.0',
      built: '2026-11-19',
      changes: {
        'linux-yocto': '6.6.152',
        chrony: '4.8',
        mosquitto: '2.0.23',
        readline: GONE,
        'gateway-app': '4.5.0',
      },
    },
  ],
}

const SENSOR: Product = {
  slug: 'sensor-node',
  name: 'Harbour sensor node',
  description: 'Battery-powered sensor on Zephyr, with Bluetooth and Thread',
  builtBy: 'west',
  versions: [
    {
      name: '1.7.0',
      built: '2025-11-24',
      changes: {
        zephyr: '4.0.0',
        mbedtls: '3.6.2',
        mcuboot: '2.1.0',
        tinycrypt: '0.2.8',
        hal_nordic: '3.9.0',
        cmsis: '5.9.0',
        littlefs: '2.9.3',
        openthread: '2024.11.0',
        nanopb: '0.4.9',
        zcbor: '0.9.0',
        'sensor-app': '1.7.0',
      },
    },
    {
      name: '1.8.0',
      built: '2025-12-16',
      changes: { zephyr: '4.2.1', mbedtls: '3.6.4', littlefs: '2.11.2', 'sensor-app': '1.8.0' },
    },
    {
      name: '1.9.0',
      built: '2026-03-17',
      changes: { zephyr: '4.3.0', mbedtls: '3.6.5', mcuboot: '2.3.0', 'sensor-app': '1.9.0' },
    },
    {
      name: '2.0.0',
      built: '2026-05-19',
      changes: { zephyr: '4.4.0', openthread: '2026.04.0', 'sensor-app': '2.0.0' },
    },
    {
      name: '2.1.0',
      built: '2026-09-22',
      changes: { zephyr: '4.4.1', tinycrypt: GONE, hal_nordic: '4.1.0', 'sensor-app': '2.1.0' },
    },
    {
      name: '2.2.0',
      built: '2026-11-16',
      changes: { 'sensor-app': '2.2.0' },
    },
  ],
}

const DISPLAY: Product = {
  slug: 'display',
  name: 'Harbour display',
  description: 'Touch display with a Qt interface, built with Buildroot',
  builtBy: 'buildroot',
  versions: [
    {
      name: '5.0.0',
      built: '2025-11-24',
      changes: {
        linux: '6.12.30',
        glibc: '2.41',
        busybox: '1.37.0',
        qt6base: '6.8.3',
        freetype: '2.13.0',
        libpng: '1.6.48',
        sqlite: '3.48.0',
        openssl: '3.4.2',
        libcurl: '8.13.0',
        zlib: '1.3.1',
        expat: '2.7.1',
        libxml2: '2.13.8',
        'jpeg-turbo': '3.1.0',
        harfbuzz: '11.2.1',
        fontconfig: '2.16.2',
        libdrm: '2.4.125',
        mesa3d: '25.0.7',
        wayland: '1.23.1',
        libinput: '1.28.1',
        'alsa-lib': '1.2.14',
        gstreamer1: '1.26.2',
        dbus: '1.14.10',
        eudev: '3.2.14',
        rauc: '1.13',
        uboot: '2025.04',
        'display-app': '5.0.0',
      },
    },
    {
      name: '5.1.0',
      built: '2025-12-02',
      changes: {
        freetype: '2.13.3',
        linux: '6.12.60',
        libpng: '1.6.51',
        sqlite: '3.50.4',
        libxml2: '2.13.9',
        expat: '2.7.3',
        openssl: '3.4.3',
        'display-app': '5.1.0',
      },
    },
    {
      name: '5.2.0',
      built: '2026-02-19',
      changes: {
        qt6base: '6.8.6',
        libpng: '1.6.55',
        openssl: '3.5.5',
        libcurl: '8.18.0',
        expat: '2.7.4',
        'display-app': '5.2.0',
      },
    },
    {
      name: '5.3.0',
      built: '2026-05-07',
      changes: {
        linux: '6.12.85',
        libpng: '1.6.56',
        openssl: '3.5.6',
        libcurl: '8.20.0',
        zlib: '1.3.2',
        glibc: '2.43',
        'display-app': '5.3.0',
      },
    },
    {
      name: '5.4.0',
      built: '2026-10-05',
      changes: {
        openssl: '3.5.8',
        libcurl: '8.22.0',
        expat: '2.8.3',
        linux: '6.12.94',
        'display-app': '5.4.0',
      },
    },
  ],
}

export const PRODUCTS: readonly Product[] = [GATEWAY, SENSOR, DISPLAY]
