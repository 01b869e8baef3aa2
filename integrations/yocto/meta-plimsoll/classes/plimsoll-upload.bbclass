# Uploads the SBOM of an image to Plimsoll when the image is done. In the image recipe or local.conf:
#   INHERIT += "create-spdx"
#   IMAGE_CLASSES += "plimsoll-upload"
# Where to, and the key, come from the environment, so that no key is in a recipe:
#   export BB_ENV_PASSTHROUGH_ADDITIONS="PLIMSOLL_URL PLIMSOLL_API_KEY PLIMSOLL_WORKSPACE"

PLIMSOLL_FIRMWARE ?= "${PN}"
PLIMSOLL_FIRMWARE_VERSION ?= "${DISTRO_VERSION}"
# SPDX 3 is one file (styhead and later), SPDX 2.2 is an archive.
PLIMSOLL_SBOMS ?= "${DEPLOY_DIR_IMAGE}/${IMAGE_LINK_NAME}.spdx.json ${DEPLOY_DIR_IMAGE}/${IMAGE_LINK_NAME}.spdx.tar.zst"
# What recipes say about CVEs (CVE_STATUS), uploaded with the SBOM where INHERIT has "vex" or "cve-check".
PLIMSOLL_REPORTS ?= "${DEPLOY_DIR_IMAGE}/${IMAGE_LINK_NAME}.json"

# What of the version the upload replaces: file (the same file name or document), serial (the same document), all, or nothing ("").
PLIMSOLL_REPLACE ?= "file"

python do_plimsoll_upload() {
    import os
    import sys

    sys.path.insert(0, d.getVar('PLIMSOLL_PYTHON'))
    from plimsoll_upload import PlimsollError, upload

    files = [path for path in d.getVar('PLIMSOLL_SBOMS').split() if os.path.exists(path)]
    if not files:
        bb.fatal('No SBOM of the image was found. Is INHERIT += "create-spdx" set? Looked at: %s' % d.getVar('PLIMSOLL_SBOMS'))
    files += [path for path in (d.getVar('PLIMSOLL_REPORTS') or '').split() if os.path.exists(path)]
    settings = {name: d.getVar(name) for name in ('PLIMSOLL_URL', 'PLIMSOLL_API_KEY', 'PLIMSOLL_WORKSPACE')}
    version = '%s@%s' % (d.getVar('PLIMSOLL_FIRMWARE'), d.getVar('PLIMSOLL_FIRMWARE_VERSION'))
    replace = d.getVar('PLIMSOLL_REPLACE') or None
    try:
        sboms = upload(settings, d.getVar('PLIMSOLL_FIRMWARE'), d.getVar('PLIMSOLL_FIRMWARE_VERSION'), files, replace=replace)
    except PlimsollError as error:
        bb.fatal(str(error))
    bb.note('%s: SBOMs uploaded: %d' % (version, len(sboms)))
}
addtask plimsoll_upload after do_image_complete before do_build
do_plimsoll_upload[network] = "1"
do_plimsoll_upload[nostamp] = "1"
do_plimsoll_upload[vardepsexclude] = "PLIMSOLL_URL PLIMSOLL_API_KEY PLIMSOLL_WORKSPACE"

# The task that writes the SBOM of an image exists since styhead.
python () {
    if d.getVarFlag('do_create_image_sbom_spdx', 'task', False):
        d.appendVarFlag('do_plimsoll_upload', 'depends', ' %s:do_create_image_sbom_spdx' % d.getVar('PN'))
}
