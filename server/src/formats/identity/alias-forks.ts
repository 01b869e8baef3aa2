/**
 * Repositories on GitHub in which makers of boards and SDKs keep a product with their own changes. They keep its version numbers: `v3.4.99-ncs1` of
 * sdk-zephyr, `lf_v2022.04-2.1.0` of uboot-imx. Each repository says itself of what it is a fork.
 */
const FORKS: Readonly<Record<string, string>> = {
  'Linux kernel': `analogdevicesinc/linux altera-fpga/linux-socfpga altera-opensource/linux-socfpga beagleboard/linux boundarydevices/linux
    freescale/linux-fslc hardkernel/linux linux4microchip/linux linux4sam/linux-at91 nxp-imx/linux-imx nxp-qoriq/linux raspberrypi/linux
    stmicroelectronics/linux varigit/linux-imx xilinx/linux-xlnx`,
  'Das U-Boot': `altera-opensource/u-boot-socfpga beagleboard/u-boot boundarydevices/u-boot freescale/u-boot-fslc hardkernel/u-boot
    linux4microchip/u-boot-mchp linux4sam/u-boot-at91 nxp-imx/uboot-imx nxp-qoriq/u-boot rockchip-linux/u-boot
    stmicroelectronics/u-boot varigit/uboot-imx xilinx/u-boot-xlnx`,
  'Trusted Firmware-A': `nxp-imx/imx-atf nxp-qoriq/atf stmicroelectronics/arm-trusted-firmware xilinx/arm-trusted-firmware`,
  'OP-TEE': 'nxp-imx/imx-optee-os stmicroelectronics/optee_os',
  Zephyr: 'nrfconnect/sdk-zephyr',
  MCUboot: 'nrfconnect/sdk-mcuboot zephyrproject-rtos/mcuboot',
  'Trusted Firmware-M': 'nrfconnect/sdk-trusted-firmware-m zephyrproject-rtos/trusted-firmware-m',
  'Mbed TLS': 'espressif/mbedtls nrfconnect/sdk-mbedtls zephyrproject-rtos/mbedtls',
  lwIP: 'espressif/esp-lwip',
  littlefs: 'zephyrproject-rtos/littlefs',
  LVGL: 'zephyrproject-rtos/lvgl',
  OpenThread: 'nrfconnect/sdk-openthread zephyrproject-rtos/openthread',
  TinyCrypt: 'zephyrproject-rtos/tinycrypt',
  CivetWeb: 'zephyrproject-rtos/civetweb',
  FatFs: 'zephyrproject-rtos/fatfs',
  'Project CHIP (Matter)': 'nrfconnect/sdk-connectedhomeip',
}

/** The names by which the forks of a product are known. */
export function listForkKeys(product: string): string[] {
  const paths = FORKS[product]?.split(/\s+/) ?? []
  return paths.flatMap((path) => [`purl:github/${path}`, `repo:github.com/${path}`])
}

export const FORKED_PRODUCTS: readonly string[] = Object.keys(FORKS)
