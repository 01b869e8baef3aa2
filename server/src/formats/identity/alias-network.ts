/** Protocols, servers and tools of networks. */
import { parseAliasTable } from './alias-table.ts'

export const NETWORK_ALIASES = parseAliasTable(String.raw`
Asterisk | digium:asterisk asterisk:asterisk sangoma:asterisk | asterisk/asterisk | asterisk | asterisk |
Avahi | avahi:avahi | avahi/avahi lathiat/avahi | avahi | = |
BIND 9 | isc:bind | isc-projects/bind9 gitlab.com/isc-projects/bind9 gitlab.isc.org/isc-projects/bind9 | bind bind9 | = | https://kb.isc.org/docs/aa-00913
BIRD | nic:bird bird_project:bird | cz-nic/bird gitlab.nic.cz/labs/bird | | bird bird2 |
c-ares | c-ares:c-ares c-ares_project:c-ares daniel_stenberg:c-ares | c-ares/c-ares | c-ares | = | https://c-ares.org/vulns.html
can-utils | | linux-can/can-utils | can-utils | = | https://github.com/linux-can/can-utils
chrony | tuxfamily:chrony chrony_project:chrony | mlichvar/chrony gitlab.com/chrony/chrony | chrony | = | https://chrony-project.org/
cifs-utils | samba:cifs-utils debian:cifs-utils | | cifs-utils | = |
CivetWeb | civetweb_project:civetweb ceph:civetweb | civetweb/civetweb | civetweb | = |
ConnMan | connman:connman intel:connman | | connman | = |
conntrack-tools | netfilter:conntrack-tools | | conntrack-tools | = conntrack |
coturn | coturn_project:coturn | coturn/coturn | coturn | = |
Cyclone DDS | eclipse:cyclonedds eclipse:cyclone_data_distribution_service | eclipse-cyclonedds/cyclonedds | cyclonedds | | https://github.com/eclipse-cyclonedds/cyclonedds
dhcpcd | dhcpcd_project:dhcpcd roy_marples:dhcpcd | networkconfiguration/dhcpcd rsmarples/dhcpcd | dhcpcd dhcpcd5 | = |
EMQX NanoMQ | emqx:nanomq nanomq:nanomq | emqx/nanomq nanomq/nanomq | nanomq | |
ethtool | kernel:ethtool | | ethtool | = |
Fast DDS | eprosima:fast_dds | eprosima/fast-dds | fast-dds fastdds | fastdds | https://github.com/eProsima/Fast-DDS/security/advisories
FRRouting | frrouting:frrouting linuxfoundation:free_range_routing | frrouting/frr | frr frrouting | = |
GoAhead | embedthis:goahead | embedthis/goahead | goahead | |
Appweb | embedthis:appweb | embedthis/appweb | appweb | |
gpsd | gpsd_project:gpsd | ntpsec/gpsd gitlab.com/gpsd/gpsd | gpsd | = |
GUPnP | gnome:gupnp gupnp:gupnp | gnome/gupnp gitlab.gnome.org/gnome/gupnp | gupnp | = |
HAProxy | haproxy:haproxy | haproxy/haproxy | haproxy | = | https://www.haproxy.org/
iperf3 | es:iperf3 iperf3_project:iperf3 | esnet/iperf | iperf3 | = |
iproute2 | iproute2_project:iproute2 | shemminger/iproute2 iproute2/iproute2 | iproute2 | = iproute |
ipset | netfilter:ipset | | ipset | = |
iptables | netfilter:iptables | | iptables | = |
nftables | netfilter:nftables | git.netfilter.org/nftables | nftables | = |
iputils | iputils:iputils iputils_project:iputils skbuff:iputils | iputils/iputils | iputils | = |
ISC DHCP | isc:dhcp | isc-projects/dhcp | isc-dhcp dhcp | isc-dhcp dhcp | https://www.isc.org/dhcp/
iw | kernel:iw | git.kernel.org/pub/scm/linux/kernel/git/jberg/iw | | iw |
Janus WebRTC server | meetecho:janus | meetecho/janus-gateway | janus-gateway | janus |
Kamailio | kamailio:kamailio | kamailio/kamailio | kamailio | = |
keepalived | keepalived:keepalived acassen:keepalived keepalived_project:keepalived | acassen/keepalived | keepalived | = |
Knot Resolver | nic:knot_resolver | cz-nic/knot-resolver | knot-resolver | = |
ldns | nlnetlabs:ldns | nlnetlabs/ldns | ldns | = |
lib60870 | mz-automation:lib60870 | mz-automation/lib60870 | lib60870 | |
libcoap | libcoap:libcoap libcoap_project:libcoap | obgm/libcoap | libcoap | libcoap libcoap2 libcoap3 |
libevent | libevent_project:libevent niels_provos:libevent | libevent/libevent | libevent | = |
libiec61850 | mz-automation:libiec61850 mzautomation:libiec61850 mz_automation:libiec61850 | mz-automation/libiec61850 | libiec61850 | |
libmicrohttpd | gnu:libmicrohttpd | karlson2k/libmicrohttpd | libmicrohttpd | = |
libmodbus | libmodbus:libmodbus | stephane/libmodbus | libmodbus | = |
libnl | libnl_project:libnl | thom311/libnl tgraf/libnl | libnl libnl3 | libnl3 |
libpcap | tcpdump:libpcap | the-tcpdump-group/libpcap | libpcap | = |
Libreswan | libreswan:libreswan | libreswan/libreswan | libreswan | = |
libsoup | gnome:libsoup | gnome/libsoup gitlab.gnome.org/gnome/libsoup | libsoup libsoup-2.4 | libsoup libsoup2.4 libsoup3 |
libsrtp | cisco:libsrtp | cisco/libsrtp | libsrtp srtp | libsrtp libsrtp2 srtp |
libtirpc | libtirpc_project:libtirpc | | libtirpc | = |
libupnp | libupnp_project:libupnp pupnp_project:pupnp | pupnp/pupnp | libupnp pupnp | libupnp pupnp-1.8 |
libuv | libuv:libuv libuv_project:libuv | libuv/libuv | libuv | libuv libuv1 |
libwebsockets | warmcat:libwebsockets | warmcat/libwebsockets | libwebsockets | = | https://libwebsockets.org/
lighttpd | lighttpd:lighttpd | lighttpd/lighttpd1.4 git.lighttpd.net/lighttpd/lighttpd1.4 | lighttpd | = | https://www.lighttpd.net/security/
linuxptp | linuxptp_project:linuxptp | richardcochran/linuxptp | linuxptp | = |
LIVE555 | live555:streaming_media live555:live555 | rgaufman/live555 | live555 | liblivemedia live555 |
MiniDLNA | minidlna_project:minidlna readymedia_project:readymedia | | minidlna | = |
mini_httpd | acme:mini_httpd acme:mini-httpd | | mini_httpd mini-httpd | mini-httpd |
MiniUPnPd | miniupnp_project:miniupnpd miniupnp.free:miniupnpd | miniupnp/miniupnp | miniupnpd | = |
Monkey HTTP server | monkey-project:monkey | monkey/monkey | | |
Net-SNMP | net-snmp:net-snmp | net-snmp/net-snmp | net-snmp | = | https://www.net-snmp.org/
net-tools | net-tools_project:net-tools | ecki/net-tools | net-tools | = |
netatalk | netatalk:netatalk netatalk_project:netatalk | netatalk/netatalk | netatalk | = | https://netatalk.io/security
NetworkManager | gnome:networkmanager networkmanager_project:networkmanager redhat:networkmanager | networkmanager/networkmanager gitlab.freedesktop.org/networkmanager/networkmanager | networkmanager network-manager | = |
nfs-utils | linux-nfs:nfs-utils nfs:nfs-utils | | nfs-utils | = |
nghttp2 | nghttp2:nghttp2 | nghttp2/nghttp2 | nghttp2 libnghttp2 | nghttp2 libnghttp2 |
ngtcp2 | ngtcp2:ngtcp2 tatsuhiro-t:ngtcp2 nghttp2:ngtcp2 | ngtcp2/ngtcp2 | ngtcp2 | = |
nginx | f5:nginx nginx:nginx igor_sysoev:nginx f5:nginx_open_source | nginx/nginx | nginx | = | https://nginx.org/en/security_advisories.html
NTP | ntp:ntp | ntp-project/ntp | ntp | = |
NTPsec | ntpsec:ntpsec | ntpsec/ntpsec gitlab.com/ntpsec/ntpsec | ntpsec | = |
oFono | ofono:ofono ofono_project:ofono linux:ofono | | ofono | = |
open62541 | open62541:open62541 | open62541/open62541 | open62541 | | https://github.com/open62541/open62541/security
OpenConnect | infradead:openconnect | openconnect/openconnect gitlab.com/openconnect/openconnect | openconnect | = |
OpENer | eipstackgroup:opener opener_project:opener | eipstackgroup/opener | | |
OpenLDAP | openldap:openldap | openldap/openldap git.openldap.org/openldap/openldap | openldap | = |
OpenNTPD | openntpd:openntpd | openntpd-portable/openntpd-portable | openntpd | = |
OpenVPN | openvpn:openvpn | openvpn/openvpn | openvpn | = | https://openvpn.net/community-resources/
Paho MQTT C | | eclipse/paho.mqtt.c eclipse-paho/paho.mqtt.c | paho.mqtt.c paho-mqtt-c | paho-mqtt-c paho.mqtt.c | https://github.com/eclipse-paho/paho.mqtt.c
Paho MQTT embedded C | | eclipse/paho.mqtt.embedded-c eclipse-paho/paho.mqtt.embedded-c | paho.mqtt.embedded-c | | https://github.com/eclipse-paho/paho.mqtt.embedded-c
PJSIP | pjsip:pjsip teluu:pjsip | pjsip/pjproject | pjsip pjproject | pjproject | https://github.com/pjsip/pjproject/security/advisories
PPP | samba:ppp point-to-point_protocol_project:point-to-point_protocol | ppp-project/ppp paulusmack/ppp | ppp point-to-point_protocol | = | https://ppp.samba.org/
ProFTPD | proftpd:proftpd proftpd_project:proftpd | proftpd/proftpd | proftpd | proftpd proftpd-dfsg |
Pure-FTPd | pureftpd:pure-ftpd | jedisct1/pure-ftpd | pure-ftpd | = |
Quagga | quagga:quagga | quagga/quagga | quagga | = |
radvd | radvd.litech:radvd litech:router_advertisement_daemon | radvd-project/radvd reubenhwk/radvd | radvd router_advertisement_daemon | = |
rpcbind | rpcbind_project:rpcbind | | rpcbind | = |
rsync | samba:rsync rsync:rsync andrew_tridgell:rsync | rsyncproject/rsync wayned/rsync | rsync | = |
Samba | samba:samba | samba-team/samba gitlab.com/samba-team/samba | samba | = | https://www.samba.org/samba/history/security.html
Snap7 | snap7_project:snap7 davenardella:snap7 | | snap7 | |
socat | dest-unreach:socat socat:socat | | socat | = |
Sofia-SIP | signalwire:sofia-sip | freeswitch/sofia-sip | sofia-sip | = |
strongSwan | strongswan:strongswan | strongswan/strongswan | strongswan | = | https://www.strongswan.org/
stunnel | stunnel:stunnel | mtrojnar/stunnel | stunnel | stunnel stunnel4 |
tcpdump | tcpdump:tcpdump lbl:tcpdump | the-tcpdump-group/tcpdump | tcpdump | = |
tftp-hpa | tftp-hpa_project:tftp-hpa h_peter_anvin:tftp-hpa | | tftp-hpa | = |
atftp | atftp_project:atftp | | atftp | = |
thttpd | acme:thttpd acme_labs:thttpd | | thttpd | = |
Unbound | nlnetlabs:unbound unbound:unbound | nlnetlabs/unbound | unbound | = | https://nlnetlabs.nl/projects/unbound/security-advisories/
usrsctp | usrsctp_project:usrsctp | sctplab/usrsctp | usrsctp libusrsctp | libusrsctp |
vsftpd | beasts:vsftpd vsftpd_project:vsftpd | | vsftpd | = |
Wget | gnu:wget wget:wget | gitlab.com/gnuwget/wget | wget | = |
Wget2 | gnu:wget2 | rockdaboot/wget2 gitlab.com/gnuwget/wget2 | wget2 | = |
wireless-tools | wireless_tools_project:wireless_tools wireless_tools:wireless_tools | | wireless-tools wireless_tools | = |
wireless-regdb | | git.kernel.org/pub/scm/linux/kernel/git/wens/wireless-regdb | wireless-regdb | = | https://wireless.docs.kernel.org/en/latest/en/developers/regulatory/wireless-regdb.html
ZeroMQ | zeromq:libzmq zeromq:zeromq | zeromq/libzmq zeromq/zeromq4-1 | zeromq libzmq | zeromq zeromq3 libzmq |
`)
