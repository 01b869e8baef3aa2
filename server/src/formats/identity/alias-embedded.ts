/** Real-time systems, stacks of theirs, boot loaders, firmware of processors, wireless stacks and vendors' kits. */
import { parseAliasTable } from './alias-table.ts'

export const EMBEDDED_ALIASES = parseAliasTable(String.raw`
ACRN | projectacrn:acrn linuxfoundation:acrn linux:acrn | projectacrn/acrn-hypervisor | acrn-hypervisor | |
AliOS Things | | alibaba/alios-things | alios-things | | https://github.com/alibaba/AliOS-Things
Apache Mynewt NimBLE | apache:nimble | apache/mynewt-nimble | mynewt-nimble | | https://github.com/apache/mynewt-nimble
Apache Mynewt | | apache/mynewt-core | mynewt-core | | https://mynewt.apache.org/
Arduino core for ESP32 | espressif:arduino-esp32 | espressif/arduino-esp32 | arduino-esp32 | |
Arduino core for ESP8266 | espressif:arduino_esp8266 | esp8266/arduino | | |
Azure RTOS GUIX | microsoft:azure_rtos_guix_studio | | | |
Azure RTOS USBX | microsoft:azure_rtos_usbx eclipse:threadx_usbx | azure-rtos/usbx eclipse-threadx/usbx | usbx | | https://github.com/eclipse-threadx/usbx/security/advisories
barebox | pengutronix:barebox | saschahauer/barebox barebox/barebox git.pengutronix.de/barebox | barebox | | https://www.barebox.org/
BlueZ | bluez:bluez bluez_project:bluez | bluez/bluez git.kernel.org/pub/scm/bluetooth/bluez | bluez bluez5 | bluez | http://www.bluez.org/
BTstack | bluekitchen-gmbh:btstack | bluekitchen/btstack | btstack | |
CANopenNode | | canopennode/canopennode | canopennode | | https://github.com/CANopenNode/CANopenNode
ChibiOS | | chibios/chibios | chibios | | https://www.chibios.org/
CMSIS | | arm-software/cmsis_5 arm-software/cmsis | cmsis_5 | | https://github.com/ARM-software/CMSIS_5
CMSIS-NN | | arm-software/cmsis-nn | cmsis-nn | | https://github.com/ARM-software/CMSIS-NN
CMSIS-DSP | | arm-software/cmsis-dsp | cmsis-dsp | | https://github.com/ARM-software/CMSIS-DSP
Contiki | contiki-os:contiki contiki-os:contiki-os | contiki-os/contiki | contiki | |
coreboot | coreboot:coreboot | coreboot/coreboot review.coreboot.org/coreboot | coreboot | |
coreHTTP | | freertos/corehttp | corehttp | | https://github.com/FreeRTOS/coreHTTP
coreJSON | | freertos/corejson | corejson | | https://github.com/FreeRTOS/coreJSON
coreMQTT | freertos:coremqtt freertos:mqtt | freertos/coremqtt | coremqtt | | https://github.com/FreeRTOS/coreMQTT
corePKCS11 | | freertos/corepkcs11 | corepkcs11 | | https://github.com/FreeRTOS/corePKCS11
coreSNTP | | freertos/coresntp | coresntp | | https://github.com/FreeRTOS/coreSNTP
CycloneTCP | oryx-embedded:cyclonetcp | oryx-embedded/cyclonetcp | cyclonetcp | |
ESP8266 NonOS SDK | espressif:esp8266_nonos_sdk | espressif/esp8266_nonos_sdk | esp8266_nonos_sdk | |
ESP8266 RTOS SDK | espressif:esp8266_rtos_sdk | espressif/esp8266_rtos_sdk | esp8266_rtos_sdk | |
ESP-NOW | espressif:esp-now | espressif/esp-now | esp-now | |
ESP-MQTT | | espressif/esp-mqtt | esp-mqtt | | https://github.com/espressif/esp-mqtt
FatFs | elm-chan:fatfs | | fatfs | |
FreeRTOS+FAT | amazon:freertos+fat | | freertos-plus-fat | |
GRUB 2 | gnu:grub2 gnu:grub | | grub grub2 | grub2 | https://www.gnu.org/software/grub/
iwd | intel:inet_wireless_daemon | git.kernel.org/pub/scm/network/wireless/iwd | iwd | iwd |
LiteOS | | liteos/liteos | liteos | | https://gitee.com/LiteOS/LiteOS
littlefs | | littlefs-project/littlefs armmbed/littlefs | littlefs | | https://github.com/littlefs-project/littlefs
LoRaMac-node | semtech:loramac-node | lora-net/loramac-node | loramac-node | |
LVGL | | lvgl/lvgl littlevgl/lvgl | lvgl | | https://github.com/lvgl/lvgl
Mbed OS | arm:mbed_os arm:mbed-os mbed:mbed mbed:mbed_os | armmbed/mbed-os mbed-ce/mbed-os | mbed-os | |
Mongoose OS | cesanta:mongoose_os | cesanta/mongoose-os | mongoose-os | |
mJS | cesanta:mjs cesanta:mongooseos_mjs | cesanta/mjs | mjs | |
NetX Duo | eclipse:threadx_netx_duo | azure-rtos/netxduo eclipse-threadx/netxduo | netxduo | | https://github.com/eclipse-threadx/netxduo/security/advisories
FileX | microsoft:azure_rtos_filex eclipse:threadx_filex | azure-rtos/filex eclipse-threadx/filex | filex | | https://github.com/eclipse-threadx/filex
GUIX | | azure-rtos/guix eclipse-threadx/guix |  | | https://github.com/eclipse-threadx/guix
LevelX | | azure-rtos/levelx eclipse-threadx/levelx | levelx | | https://github.com/eclipse-threadx/levelx
NicheStack | hcc-embedded:nichestack | | nichestack | |
nRF5 SDK for Mesh | nordicsemi:nrf5_sdk_for_mesh | | | |
nRF Connect SDK | | nrfconnect/sdk-nrf | sdk-nrf | | https://github.com/nrfconnect/sdk-nrf
nrfx | | nordicsemiconductor/nrfx | nrfx | | https://github.com/NordicSemiconductor/nrfx
sdk-nrfxlib | | nrfconnect/sdk-nrfxlib | sdk-nrfxlib | | https://github.com/nrfconnect/sdk-nrfxlib
OpenAMP | | openamp/open-amp | open-amp | | https://github.com/OpenAMP/open-amp
libmetal | | openamp/libmetal | libmetal | | https://github.com/OpenAMP/libmetal
OpenHarmony | openharmony:openharmony openatom:openharmony | | openharmony | |
OpenSBI | | riscv-software-src/opensbi riscv/opensbi | opensbi | opensbi | https://github.com/riscv-software-src/opensbi
OpenThread | google:openthread | openthread/openthread | openthread | | https://github.com/openthread/openthread/security
OpenWrt | openwrt:openwrt openwrt:lede | openwrt/openwrt git.openwrt.org/openwrt/openwrt | openwrt | |
Pico SDK | | raspberrypi/pico-sdk | pico-sdk | | https://github.com/raspberrypi/pico-sdk
PicoTCP | altran:picotcp capgemini:picotcp virtualsquare:picotcp capgemini-engineering:altran_picotcp | tass-belgium/picotcp virtualsquare/picotcp | picotcp | |
Project CHIP (Matter) | csa-iot:connectedhomeip csa-iot:matter | project-chip/connectedhomeip | connectedhomeip | | https://github.com/project-chip/connectedhomeip/security/advisories
RT-Thread | rt-thread:rt-thread | rt-thread/rt-thread | rt-thread | |
RTEMS | | rtems/rtems | rtems | | https://www.rtems.org/
seL4 | | sel4/sel4 | sel4 | | https://github.com/seL4/seL4
shim | redhat:shim shim_project:shim | rhboot/shim | shim | shim | https://github.com/rhboot/shim
SPIFFS | | pellepl/spiffs | spiffs | | https://github.com/pellepl/spiffs
STM32Cube USB device library | | stmicroelectronics/stm32_mw_usb_device | stm32_mw_usb_device | | https://github.com/STMicroelectronics/stm32_mw_usb_device
STM32CubeF4 | st:stm32cubef4 | stmicroelectronics/stm32cubef4 | stm32cubef4 | | https://github.com/STMicroelectronics/STM32CubeF4
STM32CubeH7 | st:stm32cubeh7 | stmicroelectronics/stm32cubeh7 | stm32cubeh7 | | https://github.com/STMicroelectronics/STM32CubeH7
STM32CubeL4 | st:stm32cubel4 | stmicroelectronics/stm32cubel4 | stm32cubel4 | | https://github.com/STMicroelectronics/STM32CubeL4
STM32CubeF0 | st:stm32cubef0 | stmicroelectronics/stm32cubef0 | stm32cubef0 | | https://github.com/STMicroelectronics/STM32CubeF0
STM32CubeF1 | st:stm32cubef1 | stmicroelectronics/stm32cubef1 | stm32cubef1 | | https://github.com/STMicroelectronics/STM32CubeF1
STM32CubeF2 | st:stm32cubef2 | stmicroelectronics/stm32cubef2 | stm32cubef2 | | https://github.com/STMicroelectronics/STM32CubeF2
STM32CubeF3 | st:stm32cubef3 | stmicroelectronics/stm32cubef3 | stm32cubef3 | | https://github.com/STMicroelectronics/STM32CubeF3
STM32CubeF7 | st:stm32cubef7 | stmicroelectronics/stm32cubef7 | stm32cubef7 | | https://github.com/STMicroelectronics/STM32CubeF7
STM32CubeG0 | st:stm32cubeg0 | stmicroelectronics/stm32cubeg0 | stm32cubeg0 | | https://github.com/STMicroelectronics/STM32CubeG0
STM32CubeG4 | st:stm32cubeg4 | stmicroelectronics/stm32cubeg4 | stm32cubeg4 | | https://github.com/STMicroelectronics/STM32CubeG4
STM32CubeL0 | st:stm32cubel0 | stmicroelectronics/stm32cubel0 | stm32cubel0 | | https://github.com/STMicroelectronics/STM32CubeL0
STM32CubeL1 | st:stm32cubel1 | stmicroelectronics/stm32cubel1 | stm32cubel1 | | https://github.com/STMicroelectronics/STM32CubeL1
MCUXpresso SDK | nxp:mcuxpresso_software_development_kit | nxp-mcuxpresso/mcux-sdk nxpmicro/mcux-sdk | mcux-sdk | | https://github.com/nxp-mcuxpresso/mcux-sdk
HAL of Espressif for Zephyr | | zephyrproject-rtos/hal_espressif | hal_espressif | | https://github.com/zephyrproject-rtos/hal_espressif
HAL of Nordic for Zephyr | | zephyrproject-rtos/hal_nordic | hal_nordic | | https://github.com/zephyrproject-rtos/hal_nordic
HAL of NXP for Zephyr | | zephyrproject-rtos/hal_nxp | hal_nxp | | https://github.com/zephyrproject-rtos/hal_nxp
HAL of Silicon Labs for Zephyr | | zephyrproject-rtos/hal_silabs | hal_silabs | | https://github.com/zephyrproject-rtos/hal_silabs
HAL of STMicroelectronics for Zephyr | | zephyrproject-rtos/hal_stm32 | hal_stm32 | | https://github.com/zephyrproject-rtos/hal_stm32
Gecko SDK | silabs:gecko_software_development_kit | siliconlabs/gecko_sdk | gecko_sdk | | https://github.com/SiliconLabs/gecko_sdk
SEGGER RTT | | seggermicro/rtt | segger_rtt | | https://github.com/SEGGERMicro/RTT
SWUpdate | swupdate:swupdate | sbabic/swupdate | swupdate | swupdate |
Tock | tockos:tock | tock/tock | | |
ThreadX | eclipse:threadx microsoft:azure_rtos_threadx eclipse_foundation:threadx | azure-rtos/threadx eclipse-threadx/threadx | threadx | | https://github.com/eclipse-threadx/threadx/security/advisories
TinyUSB | | hathach/tinyusb | tinyusb | | https://github.com/hathach/tinyusb
TizenRT | samsung:tizenrt | samsung/tizenrt | tizenrt | |
uC-TCP/IP | weston-embedded:uc-tcp-ip | weston-embedded/uc-tcp-ip | uc-tcp-ip | | https://github.com/weston-embedded/uC-TCP-IP
uC-HTTP | weston-embedded:uc-http | weston-embedded/uc-http | uc-http | | https://github.com/weston-embedded/uC-HTTP
uC-FTPs | weston-embedded:uc-ftps | weston-embedded/uc-ftps | uc-ftps | | https://github.com/weston-embedded/uC-FTPs
uC/OS-III | | weston-embedded/uc-os3 | uc-os3 | | https://github.com/weston-embedded/uC-OS3
uIP | uip_project:uip | adamdunkels/uip | uip | |
VxWorks | windriver:vxworks | | vxworks | | https://support2.windriver.com/index.php?page=security-notices
Xen | xen:xen | xen-project/xen xenbits.xen.org/git-http/xen | xen | xen | https://xenbits.xen.org/xsa/
`)
