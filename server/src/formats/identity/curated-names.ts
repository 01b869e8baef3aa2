/**
 * Names of packages whose product no rule can tell, because records spell it otherwise. Each line: names | products as
 * `vendor:product` | reason. A name also stands for itself with a version at the end (`tk8.6`).
 */

import { CURATED_SPELLINGS } from './curated-spellings.ts'

export interface CuratedName {
  keys: readonly string[]
  reason: string
}

const TABLE = String.raw`
node nodejs nodejs-bin nodejs-src nodejs-current | nodejs:node.js | NVD writes Node.js with a dot
apache apache2 httpd | apache:http_server | the package has the maker's name, or the daemon's
tiff libtiff5 | libtiff:libtiff | the library is libtiff, its archive tiff
libkrb5 krb5 krb4 heimdal-mit | mit:kerberos_5 mit:kerberos | MIT Kerberos
chromium chromium-browser ungoogled-chromium chromium-ozone-wayland chromium-x11 | google:chrome chromium:chromium | records name Chrome, which is built from Chromium
iceweasel mozilla-firefox firefox-esr firefox-l10n | mozilla:firefox mozilla:firefox_esr | Firefox under the name of a distribution
icedove mozilla-thunderbird | mozilla:thunderbird | Thunderbird under the name of a distribution
iceape | mozilla:seamonkey | SeaMonkey under the name of a distribution
xulrunner | mozilla:libxul | the run time of Mozilla's programs
apr | apache:portable_runtime | Apache Portable Runtime
apr-util | apache:apr-util | Apache Portable Runtime, utilities
berkeleydb db db6.0 libdb berkeley-db | oracle:berkeley_db | Berkeley DB
bluez5_utils bluez5_utils-headers bluez-utils bluez5 | bluez:bluez bluez_project:bluez | Buildroot's and older names of BlueZ
bluez-hcidump | bluez_project:hcidump | the tool hcidump of BlueZ
cryptopp libcrypto++ | cryptopp:crypto++ | NVD writes Crypto++
dropbear dropbear-mini | dropbear_ssh_project:dropbear_ssh matt_johnston:dropbear_ssh_server dropbear_project:dropbear | NVD writes Dropbear SSH
dwarfutils libdwarf | libdwarf_project:libdwarf | the tools of libdwarf
exfat-utils fuse-exfat | exfat_project:exfat | the tools of one project
docker docker-cli docker.io docker-moby docker-ce | docker:docker mobyproject:moby | Docker, whose engine is Moby
docker-engine moby moby-engine | mobyproject:moby docker:docker | Docker's engine is Moby
golang go go-bin go-binary go-src go-runtime go-native go-bootstrap | golang:go | the language Go
compiler-rt compiler-rt-sanitizers libcxx lld lldb llvm-tblgen llvm-toolchain-snapshot openmp libclc | llvm:llvm llvm:clang | parts of the LLVM project
llvm-toolchain | llvm:llvm llvm:clang | the sources of LLVM and Clang
gcc-runtime libgcc gcc-sanitizers gcc-source | gnu:gcc | parts of GCC
mc | midnight_commander:midnight_commander | Midnight Commander
nasm | nasm:netwide_assembler | the Netwide Assembler
nspr libnspr | mozilla:netscape_portable_runtime | Netscape Portable Runtime
libnss nss | mozilla:nss mozilla:network_security_services | Network Security Services
lcms lcms2 | littlecms:little_cms littlecms:little_cms_color_engine littlecms:lcms | Little CMS
netsnmp | net-snmp:net-snmp | Buildroot's name
onig oniguruma libonig | oniguruma_project:oniguruma | Oniguruma
opencv opencv4 | opencv:opencv | versions of OpenCV
openjfx | oracle:javafx | the open source form of JavaFX
openjdk openjdk-lts | oracle:openjdk sun:openjdk | records name it under its two owners
sun-java | oracle:jdk sun:jdk sun:jre oracle:jre | Java of Sun, later of Oracle
openvmtools open-vm-tools | vmware:open_vm_tools vmware:open-vm-tools vmware:tools | the open source form of VMware Tools
pdns | powerdns:authoritative powerdns:authoritative_server powerdns:powerdns powerdns:pdns | the authoritative server of PowerDNS
pdns-recursor | powerdns:recursor | the recursor of PowerDNS
ppp pppd | point-to-point_protocol_project:point-to-point_protocol samba:ppp | NVD writes the protocol's name in full
pptpd | poptop:pptp_server | Poptop
polkit policykit policykit-1 | polkit_project:polkit freedesktop:policykit | PolicyKit was renamed to polkit
rabbitmq rabbitmq-server | pivotal_software:rabbitmq vmware:rabbitmq broadcom:rabbitmq_server | its owners over time
roundcube | roundcube:webmail roundcube:roundcube_webmail | NVD writes Webmail
rails | rubyonrails:rails rubyonrails:ruby_on_rails | NVD writes Ruby on Rails
sdl sdl2 sdl3 libsdl libsdl2 libsdl3 libsdl1.2 sdl2-compat | libsdl:simple_directmedia_layer libsdl:libsdl | NVD writes the name in full
sdl2_image sdl_image libsdl-image libsdl2-image sdl-image libsdl2_image | libsdl:sdl_image libsdl:sdl2_image sdl:sdl_image | SDL_image of one major version
sleuthkit | sleuthkit:the_sleuth_kit the_sleuth_kit:the_sleuth_kit brian_carrier:the_slueth_kit sleuth_kit:the_sleuth_kith | NVD writes The Sleuth Kit
sks | sks_keyserver_project:sks_keyserver | the SKS key server
slurm-llnl slurm-wlm slurm | schedmd:slurm llnl:slurm | the workload manager Slurm
tbb onetbb | intel:threading_building_blocks intel:oneapi_threading_building_blocks | Threading Building Blocks
tcc | fabrice_bellard:tiny_c_compiler tinycc:tinycc | Tiny C Compiler
tcl tk | tcl:tcl tcl_tk:tcl_tk | one project of two programs
trafficserver | apache:traffic_server | NVD writes it in two words
uboot u-boot u-boot-tools uboot-tools uboot-mkimage ti-k3-r5-loader | denx:u-boot | the boot loader U-Boot
virtualbox virtualbox-ose virtualbox-guest-additions virtualbox-guest-additions-iso | oracle:vm_virtualbox oracle:virtualbox sun:virtualbox sun:xvm_virtualbox | NVD writes VM VirtualBox
w3m w3m-ssl | w3m_project:w3m tats:w3m w3m:w3m | the browser w3m and its fork of Debian
wpasupplicant wpa-supplicant wpa_supplicant | w1.fi:wpa_supplicant | NVD writes an underscore
wpewebkit | wpewebkit:wpe_webkit | NVD writes it in two words
wv | wvware:wvware | wvWare
xapian xapian-core | xapian:xapian-core | the library of Xapian
xapian-omega | xapian:omega | the search engine Omega of Xapian
xen-qemu-dm xen-unstable xen-tools-headers | xen:xen | parts of Xen
xerces xerces-c | apache:xerces-c++ | Xerces for C++
xml-security-c | apache:xml_security_for_c++ | Apache XML Security for C++
libxml-security-java | apache:xml_security_for_java | Apache XML Security for Java
xmlsec1 | xmlsec_project:xmlsec aleksey:xml_security_library | XML Security Library
xorg xorg-x11 xserver_xorg-server xserver-xorg xorg-server xserver-xf86-config x11-xserver | x.org:x_server x.org:xorg-server x.org:x11 | the X server of X.Org
xorg-docs | x.org:x11 | X.Org
xvidcore | xvid:xvid | the library of Xvid
zendframework php-zend-xml zendframework1 | zend:zend_framework | NVD writes it in two words
zfs zfs-linux zfsonlinux | openzfs:openzfs zfsonlinux:zfs | ZFS on Linux is OpenZFS
cups cupsys | apple:cups openprinting:cups easy_software_products:cups cups:cups | CUPS and its owners
cyrus-imapd cyrus21-imapd | cyrus:imap cmu:cyrus_imap_server carnegie_mellon_university:cyrus_imap_server | Cyrus IMAP
cyrus-sasl cyrus-sasl2 | cyrusimap:cyrus-sasl cyrus:sasl cmu:cyrus-sasl carnegie_mellon_university:cyrus-sasl | Cyrus SASL
courier | double_precision_incorporated:courier_mta double_precision_incorporated:courier_mail_server | the mail server Courier
courier-authlib | courier-mta:courtier-authlib | NVD spells it so
criu | criu:checkpoint/restore_in_userspace | NVD writes the name in full
drupal drupal-core | drupal:drupal | the core of Drupal
eclipse | eclipse:eclipse_ide | NVD names the development environment
epiphany epiphany-browser | gnome:epiphany | GNOME's browser
exim exim4 exim-tls | exim:exim university_of_cambridge:exim | Exim
ezpublish | ez:ez_publish | NVD writes it in two words
flashplugin-nonfree flashplugin-installer | adobe:flash_player macromedia:flash_player | the player of Adobe
ganglia-monitor-core | ganglia:ganglia | Ganglia
gs-esp gs-gpl ghostscript | artifex:ghostscript artifex:gpl_ghostscript ghostscript:ghostscript | Ghostscript under its licences
gst1-plugins-bad gst-plugins-bad gst-plugins-bad1.0 gst-plugins-bad0.10 gstreamer1.0-plugins-bad | gstreamer:gstreamer freedesktop:gst-plugins-bad gstreamer_project:gstreamer | records name GStreamer for its plug-ins, too
gst1-plugins-good gst-plugins-good gst-plugins-good1.0 gst-plugins-good0.10 gstreamer1.0-plugins-good | gstreamer:gstreamer gstreamer:good_plug-ins gstreamer_project:gstreamer freedesktop:gst-plugins-good | records name GStreamer for its plug-ins, too
gst1-plugins-base gst-plugins-base gst-plugins-base1.0 gst-plugins-base0.10 gstreamer1.0-plugins-base | gstreamer:gstreamer gstreamer_project:gstreamer gstreamer:gst-plugins-base | records name GStreamer for its plug-ins, too
gst1-rtsp-server gst-rtsp-server gstreamer1.0-rtsp-server | gstreamer_project:gst-rtsp-server gstreamer:gstreamer | the RTSP server of GStreamer
gnuchess | gnu:chess | NVD leaves GNU out of the product
gwt | google:web_toolkit | Google Web Toolkit
httpcomponents-client commons-httpclient jakarta-commons-httpclient | apache:httpclient apache:commons-httpclient | Apache's HTTP client
iwd | intel:inet_wireless_daemon | the iNet wireless daemon
isc-kea kea | isc:kea | the DHCP server of ISC
isc-dhcp dhcp | isc:dhcp isc:dhcpd | the DHCP server of ISC
jbossas | redhat:jboss_enterprise_application_platform redhat:jboss_application_server | JBoss AS
jetty | eclipse:jetty mortbay:jetty jetty:jetty mortbay_jetty:jetty | Jetty and its owners
joomla | joomla:joomla! joomla:joomla | NVD writes an exclamation mark
kde4libs kdelibs | kde:kdelibs kde:kde | the libraries of KDE
kdebase | kde:kde kde:kdebase | the base of KDE
kdebase-runtime | kde:kde-runtime | the run time of KDE
kdebase-workspace | kde:kde-workspace | the workspace of KDE
kdepim | kde:kde_pim | NVD writes it in two words
keepass2 | keepass:keepass keepass:password_safe | KeePass
libgc bdwgc | bdwgc_project:bdwgc | the collector of Boehm, Demers and Weiser
libgems-ruby rubygems | rubygems:rubygems rubyforge:rubygems | RubyGems
libglib2-bootstrap glib-2.0 glib2.0 libglib2 | gnome:glib | GLib
libguac guacamole-server | apache:guacamole guac-dev:guacamole | the server of Guacamole
libspring-java libspring-2.5-java | vmware:spring_framework pivotal_software:spring_framework springsource:spring_framework | the Spring Framework
libtorrent-rasterbar libtorrent | libtorrent:libtorrent rasterbar_software:libtorrent arvidn:libtorrent | the library of Rasterbar
libxalan2-java xalan-java | apache:xalan-java | Xalan for Java
lightdm-gtk-greeter | lightdm_gtk+_greeter_project:lightdm_gtk+_greeter | NVD writes GTK+
llama-cpp llama.cpp | ggml:llama.cpp ggml-org:llama.cpp | NVD writes a dot
lucene-solr solr | apache:solr | Solr of Apache
lynx lynx-cur lynx-ssl | lynx:lynx lynx_project:lynx university_of_kansas:lynx invisible-island:lynx | the browser Lynx and its makers
mesa3d mesa3d-headers mesa | mesa3d:mesa | Mesa
mdns mdnsresponder | apple:mdnsresponder | the responder of Apple
mini-snmpd | minisnmpd_project:minisnmpd | NVD writes it in one word
moin | moinmo:moinmoin moinmoin:moinmoin | the wiki MoinMoin
movabletype-opensource movabletype | sixapart:movable_type sixapart:movabletype six_apart:movable_type | NVD writes it in two words
mysql-connector-python | oracle:mysql_connectors oracle:mysql_connector/python | one of the connectors of MySQL
nagios-nrpe nrpe | nagios:remote_plug_in_executor nagios:remote_plugin_executor | NVD writes the name in full
nagios-plugins monitoring-plugins | nagios:plugins | plug-ins of Nagios
network-manager networkmanager network-manager-applet | gnome:networkmanager networkmanager_project:networkmanager | NetworkManager of GNOME
neo4j-community | neo4j:neo4j | an edition of Neo4j
newlib newlib-bare-metal | newlib_project:newlib | the C library newlib
nvidia-graphics-drivers nvidia-graphics-drivers-legacy-173xx nvidia-graphics-drivers-legacy-304xx nvidia-graphics-drivers-legacy-340xx nvidia-graphics-drivers-legacy-390xx nvidia-graphics-drivers-legacy-96xx nvidia-graphics-drivers-tesla nvidia-kernel-common nvidia-driver | nvidia:gpu_driver nvidia:gpu_display_driver nvidia:video_driver | NVD names the driver by what it drives
ocsinventory-server | ocsinventory-ng:ocs_inventory_ng ocsinventory-ng:ocsinventory_ng | OCS Inventory
openocd | openocd:open_on-chip_debugger | NVD writes the name in full
open-xchange | open-xchange:open-xchange_appsuite open-xchange:open-xchange | the suite of Open-Xchange
openwebmail | open_webmail:open_webmail | NVD writes it in two words
ossec-hids | ossec:ossec | OSSEC
pcp | sgi:performance_co-pilot | Performance Co-Pilot
pcs | clusterlabs:pcs fedora:pacemaker_configuration_system | the configuration system of Pacemaker
php-apc | pecl-php:alternative_php_cache | Alternative PHP Cache
php-symfony2-yaml symfony | sensiolabs:symfony symfony:symfony | Symfony and its component
python-swiftclient | openstack:swift | the client of OpenStack's Swift
grpc python3-grpcio python3-grpcio-tools | grpc:grpc | the Python form of gRPC
python-lmdb | py-lmdb_project:py-lmdb | NVD writes py
python-ruamel-yaml python3-ruamel-yaml ruamel.yaml | ruamel.yaml_project:ruamel.yaml | NVD writes a dot
python3-dbusmock python-dbusmock | python-dbusmock_project:python-dbusmock | the module dbusmock
python3-gnupg python-gnupg | python-gnupg_project:python-gnupg python:python-gnupg vinay_sajip:python-gnupg | a module that calls GnuPG, and not GnuPG itself
python3-docker python-docker | docker:docker-py | a module that calls Docker, and not Docker itself
python3-pam python-pam | pypam:pypam | the module PyPAM, and not Linux-PAM
python-crypto python3-crypto pycrypto | dlitz:pycrypto | PyCrypto
pycryptodome python3-pycryptodome python-pycryptodome | pycryptodome:pycryptodome python:pycryptodome | PyCryptodome
python-cryptography python3-cryptography | cryptography.io:cryptography cryptography_project:cryptography | the module of the Python Cryptographic Authority
python-django python3-django | djangoproject:django | Django
python-jinja2 python3-jinja2 jinja2 | palletsprojects:jinja pocoo:jinja2 | Jinja
python-libxml2 | xmlsoft:libxml2 | the module of libxml2
lua-expat luaexpat | matthewwild:luaexpat | a module that calls Expat, and not Expat itself
qemu-kvm kvm | qemu:qemu kvm_group:qemu-kvm kvm_qumranet:kvm | QEMU with KVM
qpid-python qpid-cpp | apache:qpid apache:qpid-cpp | Apache Qpid
qtcreator | nokia:qt_creator | NVD writes it in two words
r-base r | r_foundation:r | the language R
raptor raptor2 | librdf:raptor librdf:raptor_rdf_syntax_library redland:libraptor | the parser of Redland
reviewboard | reviewboard:review_board | NVD writes it in two words
rp-pppoe | roaring_penguin:pppoe rp-pppoe_project:rp-pppoe | PPPoE of Roaring Penguin
rp_pppoe | roaring_penguin:pppoe | PPPoE of Roaring Penguin
rtkit | lennart_poettering:rkit | NVD spells it so
smstools | stefan_frings:sms_server_tools | NVD writes the name in full
spamass-milter | georg_greve:spamassassin_milter_plugin | NVD writes the name in full
suckless-tools | suckless:slock | slock is one of the tools
tuxpaint | new_breed_software:tux_paint | NVD writes it in two words
util-linux util-linux-libs util-linux-libuuid | kernel:util-linux util-linux_project:util-linux | util-linux and its libraries
watchdog | das_watchdog_project:das_watchdog | the watchdog daemon
wesnoth | wesnoth:battle_for_wesnoth wesnoth:wesnoth | NVD writes the name in full
wxwindows wxwidgets wxwidgets3.0 | wxwidgets:wxwidgets | wxWindows was renamed to wxWidgets
x2goserver | x2go:x2go_server | NVD writes it in two words
yardradius | yard_radius_project:yard_radius yard_radius:yard_radius | NVD writes it in two words
yii-framework yii-framework-php yii | yiiframework:yiiframework yiiframework:yii | the framework Yii
texlive-bin texlive | tug:tex_live tug:texlive | NVD writes it in two words
libyaml-libyaml-perl libyaml | pyyaml:libyaml | LibYAML
autofs autofs5 | automount_project:automount | the daemon automount
arj | arj_software:arj_archiver | the archiver ARJ
ack-grep ack | beyondgrep:ack | Debian's name
atheme-services | atheme:atheme | the services Atheme
bitcoin | bitcoin:bitcoin_core bitcoin:bitcoin-qt bitcoin:bitcoind bitcoin:bitcoin | Bitcoin Core
boinc | universityofcalifornia:boinc_client berkeley:boinc_client | NVD names the client
bouncycastle | bouncycastle:bouncy_castle_crypto_package bouncycastle:bouncy-castle-crypto-package bouncycastle:legion-of-the-bouncy-castle-java-crytography-api | NVD writes the name in full
cmsms | cmsmadesimple:cms_made_simple | NVD writes the name in full
crossfire-maps | crossfire:crossfire | parts of Crossfire
cron | paul_vixie:vixie_cron cron_project:cron | Vixie cron
cdrtools | cdrtools:cdrecord cdrtools:cdrtools | cdrecord is one of the tools
dwr | directwebremoting:direct_web_remoting | NVD writes the name in full
freeswan | frees_wan:frees_wan | FreeS/WAN
freeradius-server | freeradius:freeradius | FreeRADIUS
galeon | galeon:galeon_browser | NVD names the browser
gd libgd2 libgd | libgd:libgd libgd:gd_graphics_library | the library libgd
gettext-gnu gettext gettext-tiny | gnu:gettext | GNU gettext
glassfish | oracle:glassfish_server eclipse:glassfish | the server of Oracle, later of Eclipse
gnome-screensaver | gnome:screensaver gnome:gnome_screensaver | NVD leaves GNOME out of the product
graphite-web | graphite_project:graphite | Graphite
hyperestraier | hyper_estraier:hyper_estraier | NVD writes it in two words
imlib+png2 imlib | enlightenment:imlib imlib:imlib | Imlib
irssi-text | irssi:irssi | Irssi
jabber | jabber_software_foundation:jabber_server | the server of Jabber
jbigkit | cambridge_enterprise:jbig-kit | NVD writes a hyphen
links links2 links-x11 | twibright:links links:links twibright_labs:links | the browser Links
lesstif1-1 lesstif2 | lesstif:lesstif | LessTif
miniupnpc miniupnpd libminiupnpc | miniupnp_project:miniupnpd miniupnp_project:miniupnpc miniupnp_project:miniupnp | records name one of both parts of MiniUPnP
nas | radscan:network_audio_system | Network Audio System
netkit-telnet | ncsa:telnet netkit_telnet_project:netkit_telnet netkit-telnet_project:netkit-telnet | telnet of Netkit
ojs | pkp:open_journal_systems | NVD writes the name in full
owncloud-client owncloudclient | owncloud:owncloud_desktop_client owncloud:owncloud_client | NVD names the desktop client
postfixadmin | postfix_admin_project:postfix_admin postfixadmin_project:postfixadmin | NVD writes it in two words
redhat-cluster | redhat:cluster_suite redhat:cman | the cluster of Red Hat
rsnapshot | rsnapshot:filesystem_snapshot_utility | NVD names what it does
secondlife-client | linden_lab:second_life | NVD writes it in two words
sugarcrm-ce | sugarcrm:sugarcrm | an edition of SugarCRM
synfig | synfig:synfigstudio | Synfig Studio
teamspeak-client teamspeak-server | teamspeak:teamspeak teamspeak:teamspeak_client teamspeak:teamspeak_server | TeamSpeak
torque | clusterresources:torque_resource_manager cluster_resources:torque_resource_manager adaptivecomputing:torque_resource_manager | NVD writes the name in full
vmware-package | vmware:workstation | VMware Workstation
vnc4 | realvnc:realvnc vnc:realvnc | RealVNC
wmaker | windowmaker:windowmaker | Window Maker
xcdroast | x-cd-roast:x-cd-roast | NVD writes hyphens
xmms | x_multimedia_system:x_multimedia_system | NVD writes the name in full
xmlstarlet | xmlstarlet:command_line_xml_toolkit | NVD names what it does
xfs | x.org:x_font_server | the font server of X.Org
uw-imap imap-2007 | university_of_washington:uw-imap university_of_washington:imap uw-imap_project:uw-imap | the mail tools of the University of Washington
zarafa | zarafa:zarafa_collaboration_platform zarafa:zarafa | Zarafa
zvbi | zapping-vbi:zvbi zapping:zapping_vbi_library | the library of Zapping
389-ds-base 389-ds | fedoraproject:389_directory_server port389:389-ds-base | 389 Directory Server
abiword | abisource:community_abiword abisource:abiword | AbiWord
squid squid3 | squid-cache:squid squid:squid | Squid
clamav | clamav:clamav clam_anti-virus:clamav cisco:clamav | ClamAV and its makers
axis2c axis2 | apache:axis2 | Axis2 of Apache
docker2aci golang-github-appc-docker2aci | docker2aci_project:docker2aci | docker2aci
request-tracker | bestpractical:request_tracker bestpractical:rt best_practical_solutions:request_tracker | Request Tracker
uwsgi | unbit:uwsgi | uWSGI
audit | linux_audit_project:linux_audit linux:audit | the audit daemon of Linux
cargo | rust-lang:cargo | the build tool of Rust
protobuf | google:protobuf google:protobuf-cpp protobuf:protobuf | Protocol Buffers
python3-protobuf python-protobuf | google:protobuf google:protobuf-python google:google-protobuf protobuf:protobuf | Protocol Buffers for Python
cmake | cmake_project:cmake kitware:cmake | CMake
clang | llvm:clang | Clang of LLVM
ed | gnu:ed | GNU ed
fluent-bit | treasuredata:fluent_bit fluent:fluent_bit | Fluent Bit and its owners
mako python-mako python3-mako | sqlalchemy:mako makotemplates:mako | Mako
paramiko python-paramiko python3-paramiko | paramiko:paramiko python_software_foundation:paramiko | Paramiko
motion | motion_project:motion lavrsen:motion | the program Motion
msmtp | marlam:msmtp martin_lambers:msmtp | the maker and his site
mpop | marlam:mpop martin_lambers:mpop | the maker and his site
multipath-tools | opensvc:multipath-tools christophe.varoqui:multipath-tools | the maker and his company
gpgme gpgme1.0 | gnu:gpgme gpgme_project:gpgme gnupg:gpgme | GPGME
jhead | jhead_project:jhead sentex:jhead | jhead
heimdal | heimdal_project:heimdal heimdal:heimdal kth:heimdal | Kerberos of KTH
heartbeat | linux-ha:heartbeat high_availability_linux_project:heartbeat heartbeat:heartbeat | Heartbeat of Linux-HA
snort | snort:snort sourcefire:snort cisco:snort | Snort and its owners
neon neon27 neon26 | webdav:neon neon:neon | the library neon for WebDAV
dokuwiki | dokuwiki:dokuwiki andreas_gohr:dokuwiki | DokuWiki and its maker
cockpit | cockpit-project:cockpit | the administration of servers
composer | getcomposer:composer | Composer for PHP
requests python-requests python3-requests | python:requests | Requests for Python
cgit | cgit_project:cgit jason_a_donenfeld:cgit lars_hjemli:cgit | cgit and its makers
acpid | tedfelix:acpid tedfelix:acpid2 tim_hockin:acpid | acpid and its makers
cfengine cfengine2 cfengine3 | northern.tech:cfengine gnu:cfengine | CFEngine and its owners
cakephp | cakephp:cakephp cakefoundation:cakephp | CakePHP
evolution-data-server | gnome:evolution-data-server gnome:evolution_data_server go-evolution:evolution-data-server | GNOME's data server
libmspack | libmspack_project:libmspack kyzer:libmspack cabextract:libmspack | the library of cabextract
dtc device-tree-compiler | dtc_project:dtc | the compiler of device trees
opus libopus | opus-codec:opus | the codec Opus
opus-tools | xiph:vorbis-tools | the tools of Opus
gopher | university_of_minnesota:gopher university_of_minnesota:gopherd | the program of the University of Minnesota
redis-server | redis:redis | Redis
python-gunicorn python3-gunicorn gunicorn | gunicorn:gunicorn benoitc:gunicorn | Gunicorn and its maker
python3-tornado python-tornado | tornadoweb:tornado | Tornado
python3-supervisor supervisor | supervisord:supervisor | Supervisor
`

/** Rows of the table above and of the further spellings. */
function rows(): (readonly [name: string, CuratedName])[] {
  const table = TABLE.split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => {
      const [names = '', products = '', reason = ''] = line.split('|').map((text) => text.trim())
      return names.split(' ').map((name) => createRow(name, products.split(' '), reason))
    })
  const spelled = CURATED_SPELLINGS.flatMap(([reason, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((entry) => {
        const [name = '', products = ''] = entry.split('=')
        return createRow(name, products.split(','), reason)
      }),
  )
  return [...spelled, ...table]
}

function createRow(name: string, products: readonly string[], reason: string) {
  return [name, { keys: products.map((product) => `cpe:${product}`), reason }] as const
}

export const CURATED_NAMES: ReadonlyMap<string, CuratedName> = new Map(rows())
