/** Further names whose product records spell in a way of their own: by reason, `name=vendor:product` with `,` between products. */
export const CURATED_SPELLINGS: readonly (readonly [reason: string, names: string])[] = [
  [
    'the product that OpenWrt states (PKG_CPE_ID, openwrt/packages 0521bb563)',
    `chicken-scheme=call-cc:chicken golang-bootstrap=golang:go perl-mail-spamassassin=apache:spamassassin
    django-restframework=django-rest-framework:django_rest_framework python-cryptodome=pycryptodome:pycryptodome
    python-cryptodomex=pycryptodome:pycryptodomex,pycryptodome:pycryptodome python-selinux=selinuxproject:libselinux
    python-semanage=selinuxproject:libsemanage python-yaml=pyyaml:pyyaml,pyyaml_project:pyyaml
    python3-yaml=pyyaml:pyyaml,pyyaml_project:pyyaml abseil-cpp=abseil:common_libraries
    faad2=audiocoding:freeware_advanced_audio_decoder_2,audiocoding:faad2,faad2_project:faad2
    libmad=underbit:mad_libmad,underbit:libmad nlohmannjson=json-for-modern-cpp_project:json-for-modern-cpp
    protobuf-compat=google:protobuf vips=libvips:libvips,vips:vips libvips=libvips:libvips hs20=w1.fi:hostapd
    knot=knot-dns:knot_dns libcurl-gnutls=haxx:libcurl,haxx:curl nbd=network_block_device_project:network_block_device,wouter_verhelst:nbd
    nfs-kernel-server=linux-nfs:nfs-utils,nfs:nfs-utils nfs-utils=linux-nfs:nfs-utils,nfs:nfs-utils
    nsd=nlnetlabs:name_server_daemon,nlnetlabs:nsd opennds=opennds:captive_portal,opennds:opennds
    ovn=openvswitch:openvswitch,ovn:open_virtual_network zerotier=zerotier:zerotierone owntone=owntone:owntone_server
    sox_ng=sound_exchange_project:sound_exchange borgbackup=borgbackup:borg dockerd=mobyproject:moby,docker:docker
    hplip=hp:linux_imaging_and_printing,hp:hplip`,
  ],
  [
    'the packager’s name of the same software',
    `ffmpeg-debian=ffmpeg:ffmpeg rng-tools-debian=rng-tools_project:rng-tools bazel-bootstrap=google:bazel
    twitter-bootstrap=getbootstrap:bootstrap twitter-bootstrap3=getbootstrap:bootstrap twitter-bootstrap4=getbootstrap:bootstrap`,
  ],
  [
    'NVD writes the name in full',
    `acidlab=acid:analysis_console_for_intrusion_databases cluster-agents=linux-ha:ocf_resource_agents
    dcl=michael_dean:double_choco_latte eric=eric_integrated_development_environment:eric_integrated_development_environment
    fai=thomas_lange:fully_automated_installation gnelib=gillius_programming:game_networking_engine
    gocr=gocr:optical_character_recognition_utility ht=ht_editor:ht_editor ihu=ihu:i_hear_u ipcalc=krischan_jodies:ip_calculator
    irm=stackworks_enterprises:information_resource_manager jffnms=jffnms:just_for_fun_network_management_system
    junkbuster=junkbuster:internet_junkbuster libjamon-java=steve_souza:java_application_monitor ltsp=ltsp:linux_terminal_server_project
    ldm=ltsp:linux_terminal_server_project,ltsp:ldm lvm10=lvm:logical_volume_management_utilities lxr=malcom_box:lxr_cross_referencer,lxr_project:lxr
    lxr-cvs=malcom_box:lxr_cross_referencer mgdiff=rogers_software_source:mgdiff_patch_viewer nstx=nstx:ip_over_dns_utility
    ocp=open_cubic_player:open_cubic_player ofa-kernel=openfabrics:enterprise_distribution oops=igor_khasilev:oops_proxy_server
    opendchub=roshan_singh:open_direct_connect_hub prozilla=prozilla:prozilla_download_accelerator
    spe=stani:stanis_python_editor speedtouch=speedtouch:speedtouch_usb_driver
    ssdp-responder=simple_service_discovery_protocol_responder_project:simple_service_discovery_protocol_responder
    teg=teg:tenes_empanadas_graciela tsclient=erick_woods:terminal_server_client turqstat=softwolves_software:turquoise_superstat
    wafp=mytty:webapplication_finger_printer wml=website_meta_language:website_meta_language wn=john_franks:wn_server
    xmp=claudio_matsuoka:extended_module_player ace=vanderbilt:adaptive_communication_environment
    gosa=gonicus:gonicus_system_administration,gosa_project:gosa slim=simone_rota:slim_simple_login_manager
    star=joerg_schilling:star_tape_archiver zgv=zgv:zgv_image_viewer quota=jan_kara:linux_diskquota f2c=f2c_open_source_project:f2c_translator
    radiusd-cistron=cistron:radius_daemon linuxdcpp=linux:direct_connect perdition=vergenet:perdition_mail_retrieval_proxy
    cfs=matt_blaze:cryptographic_file_system,matt_blaze:cfs rhapsody=rhapsody_irc:rhapsody_irc setiathome=university_of_california:seti_at_home`,
  ],
  [
    'NVD writes it in more words, or in fewer',
    `cheesetracker=cheese_tracker:cheese_tracker electricsheep=scott_draves:electric_sheep faqomatic=faq-o-matic:faq-o-matic
    ewiki=erfurtwiki:erfurtwiki hybserv=dinko_korunic:hybserv2 mactelnet=mac-telnet_project:mac-telnet mayan=mayan-edms:mayan_edms
    mailreader=mailreader.com:mailreader.com mediaelement=mediaelementjs:mediaelement.js datatables.js=sprymedia:datatables
    no-ip=no-ip:no-ip2 resmgr=resmgr:resmgrd rocksndiamonds=artsoft:rocks'n'diamonds sabre=debian:xsabre scorched3d=scorched_3d:scorched_3d
    sdm=jonas_smedegaard:sdm-terminal skktools=skk_openlab:skk_tools user-mode-linux=user-mode_linux:user-mode_linux
    whitedune=white_dune:white_dune wtfutil=wtfutil:wtf xfce4-terminal=os-cillation:xfce_terminal yiff=raphael_bossek:yiff_server
    moon=novell:moonlight lukemftpd=luke_mewburn:tnftpd k4dirstat=kdirstat_project:kdirstat karchive=kde:karchives
    kaffeine=kaffeine:kaffeine_player bzflag=bzflag:bzflag_server dgen=dgen:emulator bulmages=iglues:bulmages-servers
    systemimager=dann_frazier:systemimager-server wordtrans=wordtrans:wordtrans-web nilfs2-tools=nilf:nilfs abuse=abuse:abuse-sdl,abuse:abuse
    canto=canto:canto_curses ioquake3=ioquake3:ioquake3_engine,ioquake3:ioquake3 hastymail=hastymail:hastymail2,hastymail:hastymail
    libwpd=libwpd:libwpd_library,libwpd:libwpd liferay-portal=liferay:portal,liferay:liferay_portal lustre=lustre:lustre-tests,lustre:lustre
    mondo=mondo:rescue osc=suse:opensuse_osc,opensuse:osc redcloth=redcloth:redcloth_library,promptworks:redcloth
    ruby-redcloth=redcloth:redcloth_library,promptworks:redcloth citadel=debian:citadel_server,citadel:citadel
    apt-cacher-ng=debian:apt-cacher,apt-cacher-ng_project:apt-cacher-ng byacc=yacc:yacc rar=rarlab:unrar,rarlab:rar
    jabberd2=jabberstudio:jabberd,jabberd2:jabberd2 ltp=alastair_mckinstry:ltp-network-test quake2=id_software:quake_ii_server
    razor=vipul:razor-agents axis=apache:axis,apache:axis2`,
  ],
  [
    'NVD spells it so',
    `fluxbox=fluxbox-team:fluxbot libcdaudio=libcaudio:libcaudio libplrpc-perl=malcolm_nooning:pirpc liquidsoap=savonet:liguidsoap
    pktstat=david_leonard:pkstat ruby-rack-cache=rtomayko:rack-cach sork-vacation=horde:vaction xmonad-contrib=xmonad:xmonad-contrab
    hashcach=hashcash:hashcash librestclient-ruby=rest-client_project:rest-client`,
  ],
  [
    'the package has a longer name than the product',
    `affix-kernel=nokia:affix argyll=argyllcms:argyllcms btsync=bittorrent:sync commons-daemon=apache:apache_commons_daemon
    dbus-test=d-bus_project:d-bus,freedesktop:dbus deluge-torrent=deluge_team:deluge dhis-tools-dns=dhis_tools:dns_package
    drupal6-mod-cck=yves_chedemois:cck drupal6-mod-views=earl_miles:views firefox-sage=sage:sage,sage-mozdev:sage
    git-core=git-scm:git,git:git,git_project:git gnome-peercast=peercast:peercast hpsockd=hp:sockd ingo1=horde:ingo_h3
    ircd-ircu=universal_ircd:ircu,ircu:ircu isdnutils=isdn4linux:isdn4linux jakarta-taglibs-standard=apache:standard_taglibs jbosseam=jboss:seam
    jquery-jplayer=happyworm:jplayer kernel-patch-2.4-grsecurity=grsecurity:grsecurity_kernel_patch
    kernel-patch-grsecurity2=grsecurity:grsecurity_kernel_patch linux-patch-grsecurity2=grsecurity:grsecurity_kernel_patch
    kernel-patch-adamantix=the_pax_team:pax_linux libapache-auth-ldap=dave_carrigan:auth_ldap libapache-mod-acct=simone_tellini:mod_accounting
    libapache-poi-java=apache:poi libpam-opie=nrl:opie libpam-radius-auth=apache:mod_auth_radius linux-ftpd=ftpd:ftpd lookup-el=lookup:lookup
    lsh-utils=gnu:lsh,lysator:lsh midgard2-core=midgard-project:midgard2 mt-daapd=firefly:media_server nessus-core=nessus:nessus
    netpbm-free=netpbm:netpbm owl-dms=owl:intranet_knowledgebase pilot-qof=pilot-qof:datafreedom-perl pinentry=gentoo:app-crypt_pinentry
    postfix-gld=salim_gasmi:gld postfix-policyd=policyd:policyd rampart=apache:rampart/c root-system=root:root
    rt-authen-externalauth=mike_peachey:authen::externalauth sms-pl=sms:sms sork-accounts=horde:accounts sork-forwards=horde:forwards
    sork-passwd=horde:passwd sork-passwd-h3=horde:passwd sup-mail=supmua:sup systemd-shim=shim_project:shim
    transifex-client=transifex:transifex ufraw=dcraw_project:dcraw webkitkde=urs_wolfer:kwebkitpart wimax-tools=intel:wimax_network_service
    xemacs21-packages=gnu:xemacs xserver-xorg-video-intel=x:xf86-video-intel
    xserver-xorg-video-qxl=qxl_graphics_driver_project:xf86-video-qxl zope-zms=zms_publishing:zms zope-zwiki=zwiki:zwiki
    nag2=horde:nag_h3,horde:nag netkit-telnet-ssl=telnetd:telnetd-ssl mydms=letodms:letodms flex-sdk=apache:flex,adobe:flex_sdk
    php-horde-core=horde:groupware php-horde-imp=horde:imp xml-light=nicolas_cannasse:ocaml_xml-light_library
    mplayer2=mplayer2:mplayer2`,
  ],
  [
    'the module of a language, under the name of its maker',
    `libcgi-application-perl=perl:cgi_application_module libcgi-pm-perl=andy_armstrong:cgi.pm
    libcompress-raw-zlib-perl=paul_marquess:compress-raw-zlib_perl_module libdata-formvalidator-perl=mark_stosberg:data::formvalidator
    libemail-address-list-perl=email::address::list_project:email::address::list libencode-perl=dan_kogai:encode_module
    libimage-info-perl=image-info_project:image-info_for_perl libpar-packer-perl=roderich_schupp:par-packer_module
    libpar-perl=roderich_schupp:par-packer_module libproc-daemon-perl=detlef_pilzecker:proc::adaemon-run_perl
    libsoap-lite-perl=soap::lite_project:soap::lite,paul_kulchenko:soap_lite libxml-twig-perl=xmltwig:xml-twig_for_perl
    perl-lwp-protocol-https=lwp::protocol::https_project:lwp::protocol::https php-doctrine-annotations=doctrine-project:annotations
    php-doctrine-bundle=doctrine-project:doctrinemongodbbundle php-doctrine-cache=doctrine-project:cache
    php-doctrine-common=doctrine-project:common ruby-rails-html-sanitizer=rubyonrails:html_sanitizer libphp-cas=apereo:phpcas,joachim_fritschi:phpcas
    libsmack-java=igniterealtime:smack_api,igniterealtime:smack libjgroups-java=jgroups:jgroup,redhat:jgroups
    libopenid-ruby=janrain:ruby-openid libopensaml2-java=shibboleth:opensaml_java ipython=ipython:ipython,ipython:notebook
    ruby-json=rubygems:json_gem,ruby-lang:json php-ids=phpids:phpids php-horde=horde:groupware
    python3-priority=python:python_priority_library python-keystonemiddleware=openstack:python-keystoneclient,openstack:keystonemiddleware`,
  ],
]

/**
 * Names that mean another product in packages of one kind than elsewhere. Buildroot kept the name when uClibc-ng replaced uClibc;
 * Debian's `dtc` was the Domain Technologie Control, the compiler of device trees is `device-tree-compiler` there.
 */
const CALLED_OTHERWISE = new Map([
  ['buildroot/uclibc', 'uclibc-ng'],
  ['deb/dtc', 'dtc-common'],
  // The tools of packet radio; Node.js is `nodejs` there.
  ['deb/node', 'linuxnode'],
  // The library LibYAML.
  ['openwrt/yaml', 'libyaml'],
  // The package that stands for the kernel of the image.
  ['openwrt/kernel', 'linux'],
  ['opkg/kernel', 'linux'],
  ['ipk/kernel', 'linux'],
])

/** The product's name, as others call it, of a package of this purl type. */
export function findUsualName(type: string, name: string): string {
  // `openssl@3` is a formula for one series (https://docs.brew.sh/Versions).
  if (type === 'brew') return name.replace(/@[\d.]+$/, '')
  return CALLED_OTHERWISE.get(`${type}/${name.toLowerCase()}`) ?? name
}
