/** Compression, parsers, storage, pictures, sound, films and screens. */
import { parseAliasTable } from './alias-table.ts'

export const FORMAT_ALIASES = parseAliasTable(String.raw`
ALSA library | alsa-project:alsa-lib alsa:alsa-lib | alsa-project/alsa-lib | alsa-lib | = |
ArduinoJson | arduino_json_project:arduino_json | bblanchon/arduinojson | arduinojson | | https://github.com/bblanchon/ArduinoJson
Berkeley DB | oracle:berkeley_db | berkeleydb/libdb | berkeley_db berkeley-db oracle_berkeley_db | db5.3 libdb |
Brotli | google:brotli | google/brotli | brotli | = |
bzip2 | bzip:bzip2 | sourceware.org/git/bzip2 | bzip2 | = | https://sourceware.org/bzip2/
cairo | cairographics:cairo | freedesktop/cairo gitlab.freedesktop.org/cairo/cairo | cairo | = |
Cap'n Proto | capnproto:capnproto | capnproto/capnproto sandstorm-io/capnproto | capnproto | = | https://github.com/capnproto/capnproto/security
Exiv2 | exiv2:exiv2 andreas_huggel:exiv2 | exiv2/exiv2 | exiv2 | = | https://github.com/Exiv2/exiv2/security/advisories
ezXML | ezxml_project:ezxml | | ezxml | |
FFmpeg | ffmpeg:ffmpeg | ffmpeg/ffmpeg git.ffmpeg.org/ffmpeg | ffmpeg | = | https://ffmpeg.org/security.html
FLAC | flac_project:flac | xiph/flac | flac | = |
FlatBuffers | google:flatbuffers | google/flatbuffers | flatbuffers | = |
Fontconfig | fontconfig_project:fontconfig | gitlab.freedesktop.org/fontconfig/fontconfig | fontconfig | = |
FreeType | freetype:freetype freetype:freetype2 | freetype/freetype gitlab.freedesktop.org/freetype/freetype | freetype freetype2 | freetype |
FriBidi | gnu:fribidi | fribidi/fribidi | fribidi | = |
GDK-PixBuf | gnome:gdk-pixbuf gnome:gdkpixbuf | gnome/gdk-pixbuf gitlab.gnome.org/gnome/gdk-pixbuf | gdk-pixbuf | = gdk-pixbuf2 |
giflib | giflib_project:giflib | | giflib | = |
GStreamer | gstreamer_project:gstreamer gstreamer:gstreamer | gitlab.freedesktop.org/gstreamer/gstreamer | gstreamer gstreamer1.0 gstreamer1 | gstreamer1.0 gstreamer1 | https://gstreamer.freedesktop.org/security/
GTK | gnome:gtk gtk:gtk+ | gnome/gtk gitlab.gnome.org/gnome/gtk | | gtk+3.0 gtk3 gtk4 |
gzip | gnu:gzip gzip:gzip | | gzip | = |
HarfBuzz | harfbuzz_project:harfbuzz | harfbuzz/harfbuzz | harfbuzz | = |
heatshrink | | atomicobject/heatshrink | heatshrink | | https://github.com/atomicobject/heatshrink
ICU | icu-project:international_components_for_unicode unicode:international_components_for_unicode | unicode-org/icu | icu icu4c international_components_for_unicode | icu |
ImageMagick | imagemagick:imagemagick | imagemagick/imagemagick | imagemagick | = | https://github.com/ImageMagick/ImageMagick/security
inih | | benhoyt/inih | inih | inih | https://github.com/benhoyt/inih
iniParser | ndevilla:iniparser iniparser_project:iniparser | ndevilla/iniparser | iniparser | = |
Jansson | jansson_project:jansson | akheron/jansson | jansson | = |
JasPer | jasper_project:jasper | jasper-software/jasper mdadams/jasper | jasper | = |
jsmn | | zserge/jsmn | jsmn | | https://github.com/zserge/jsmn
json-c | json-c:json-c json-c_project:json-c | json-c/json-c | json-c | = |
JsonCpp | jsoncpp_project:jsoncpp | open-source-parsers/jsoncpp | jsoncpp | = libjsoncpp |
JSON for Modern C++ | json-for-modern-cpp_project:json-for-modern-cpp | nlohmann/json | nlohmann-json nlohmann_json | nlohmann-json3 | https://github.com/nlohmann/json
Lexbor | lexbor:lexbor | lexbor/lexbor | lexbor | |
libarchive | libarchive:libarchive freebsd:libarchive | libarchive/libarchive | libarchive | = | https://github.com/libarchive/libarchive/security
libcbor | | pjk/libcbor | libcbor | libcbor | https://github.com/PJK/libcbor
libcroco | gnome:libcroco | gnome/libcroco gitlab.gnome.org/archive/libcroco | libcroco | = |
libdeflate | | ebiggers/libdeflate | libdeflate | libdeflate | https://github.com/ebiggers/libdeflate
libdrm | | gitlab.freedesktop.org/mesa/drm | libdrm | libdrm | https://gitlab.freedesktop.org/mesa/drm
libexif | libexif:libexif libexif_project:libexif | libexif/libexif | libexif | = |
libical | libical_project:libical | libical/libical | libical | libical libical3 |
libjpeg | ijg:libjpeg | | | libjpeg libjpeg9 | https://ijg.org/
libjpeg-turbo | libjpeg-turbo:libjpeg-turbo d.r.commander:libjpeg-turbo | libjpeg-turbo/libjpeg-turbo | libjpeg-turbo | = |
libogg | | xiph/ogg | libogg | libogg | https://xiph.org/ogg/
libpng | libpng:libpng greg_roelofs:libpng png_reference_library:libpng | pnggroup/libpng glennrp/libpng | libpng libpng16 | libpng libpng1.6 libpng16 | http://www.libpng.org/pub/png/libpng.html
librsvg | gnome:librsvg | gnome/librsvg gitlab.gnome.org/gnome/librsvg | librsvg | = librsvg2 |
libsndfile | libsndfile_project:libsndfile mega-nerd:libsndfile | libsndfile/libsndfile erikd/libsndfile | libsndfile libsndfile1 | = |
LibTIFF | libtiff:libtiff simplesystems:libtiff remotesensing:libtiff | gitlab.com/libtiff/libtiff | libtiff tiff | = | https://gitlab.com/libtiff/libtiff
libvorbis | xiph.org:libvorbis libvorbis:libvorbis | xiph/vorbis | libvorbis | = |
libvpx | webmproject:libvpx chromium:libvpx | webmproject/libvpx | libvpx | = |
libwebp | webmproject:libwebp | webmproject/libwebp | libwebp | = |
libxml2 | xmlsoft:libxml2 gnome:libxml2 libxml2:libxml2 | gnome/libxml2 gitlab.gnome.org/gnome/libxml2 | libxml2 | = | https://gitlab.gnome.org/GNOME/libxml2
libxslt | xmlsoft:libxslt | gnome/libxslt gitlab.gnome.org/gnome/libxslt | libxslt | = |
LibYAML | pyyaml:libyaml | yaml/libyaml | libyaml | = |
LMDB | | lmdb/lmdb | lmdb | lmdb | https://www.symas.com/lmdb
LZ4 | lz4_project:lz4 yann_collet:lz4 | lz4/lz4 | lz4 | = |
LZO | lzo_project:lzo oberhumer:lzo2 | | lzo liblzo2 lzo2 | lzo lzo2 | http://www.oberhumer.com/opensource/lzo/
Mesa | mesa3d:mesa | mesa3d/mesa gitlab.freedesktop.org/mesa/mesa | mesa | mesa |
Mini-XML | msweet:mini-xml mini-xml_project:mini-xml | michaelrsweet/mxml | mxml mini-xml | mxml |
miniz | miniz_project:miniz | richgel999/miniz | miniz | = |
mpg123 | mpg123:mpg123 | | mpg123 | = |
MessagePack for C | | msgpack/msgpack-c | msgpack-c | msgpack-c | https://github.com/msgpack/msgpack-c
Oniguruma | oniguruma_project:oniguruma | kkos/oniguruma | oniguruma libonig | oniguruma libonig |
OpenCV | opencv:opencv | opencv/opencv itseez/opencv | opencv | = |
OpenJPEG | uclouvain:openjpeg | uclouvain/openjpeg | openjpeg | openjpeg2 openjpeg |
Opus | opus-codec:opus | xiph/opus gitlab.xiph.org/xiph/opus | opus libopus | opus | https://opus-codec.org/
Pango | gnome:pango pango:pango | gnome/pango gitlab.gnome.org/gnome/pango | pango | pango pango1.0 |
parson | | kgabis/parson | | | https://github.com/kgabis/parson
PCRE | pcre:pcre | | pcre libpcre | pcre pcre3 | https://www.pcre.org/
PCRE2 | pcre:pcre2 | pcre2project/pcre2 philiphazel/pcre2 | pcre2 libpcre2 | pcre2 | https://www.pcre.org/
PipeWire | | pipewire/pipewire gitlab.freedesktop.org/pipewire/pipewire | pipewire | pipewire | https://pipewire.org/
Pixman | pixman:pixman | gitlab.freedesktop.org/pixman/pixman | pixman | = |
Protobuf-c | protobuf-c_project:protobuf-c | protobuf-c/protobuf-c | protobuf-c | = |
pugixml | pugixml_project:pugixml | zeux/pugixml | pugixml | = |
PulseAudio | pulseaudio:pulseaudio pulseaudio_project:pulseaudio | pulseaudio/pulseaudio gitlab.freedesktop.org/pulseaudio/pulseaudio | pulseaudio | = |
QCBOR | | laurencelundblade/qcbor | qcbor | qcbor | https://github.com/laurencelundblade/QCBOR
RapidJSON | tencent:rapidjson | tencent/rapidjson | rapidjson | = |
SDL 2 | libsdl:simple_directmedia_layer | libsdl-org/sdl | libsdl2 sdl2 simple_directmedia_layer | libsdl2 sdl2 | https://github.com/libsdl-org/SDL
simdjson | simdjson_project:simdjson | simdjson/simdjson | simdjson | = | https://github.com/simdjson/simdjson
Snappy | google:snappy | google/snappy | | snappy |
Speex | xiph:speex speex:speex | xiph/speex | speex | = |
TensorFlow Lite Micro | | tensorflow/tflite-micro | tflite-micro | | https://github.com/tensorflow/tflite-micro
TinyCBOR | | intel/tinycbor | tinycbor | tinycbor | https://github.com/intel/tinycbor
TinyXML | tinyxml_project:tinyxml | | tinyxml | tinyxml |
TinyXML-2 | tinyxml2_project:tinyxml2 | leethomason/tinyxml2 | tinyxml2 libtinyxml2 | tinyxml2 |
UnRAR | rarlab:unrar | | unrar | unrar |
UnZip | info-zip:unzip unzip_project:unzip | | unzip | = |
Wayland | wayland:wayland | wayland-project/wayland gitlab.freedesktop.org/wayland/wayland | wayland | = |
Weston | wayland:weston | wayland-project/weston gitlab.freedesktop.org/wayland/weston | weston | = |
Xerces-C++ | apache:xerces-c++ apache:xerces-c | apache/xerces-c | xerces-c | = |
X.Org server | x.org:x_server x.org:xorg-server | freedesktop/xorg-xserver gitlab.freedesktop.org/xorg/xserver | xorg-server xserver-xorg x_server | xorg-server |
libX11 | x.org:libx11 x:libx11 | gitlab.freedesktop.org/xorg/lib/libx11 | libx11 | libx11 |
YAJL | yajl_project:yajl | lloyd/yajl | yajl | = |
yaml-cpp | yaml-cpp_project:yaml-cpp | jbeder/yaml-cpp | yaml-cpp | = |
zcbor | | nordicsemiconductor/zcbor | zcbor | | https://github.com/NordicSemiconductor/zcbor
Zip | info-zip:zip info-zip_project:zip | | zip | zip | https://infozip.sourceforge.net/
zlib-ng | | zlib-ng/zlib-ng | zlib-ng | zlib-ng | https://github.com/zlib-ng/zlib-ng
Zstandard | facebook:zstandard | facebook/zstd | zstd zstandard | zstd libzstd |
`)
