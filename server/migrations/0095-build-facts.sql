-- What the build knew: patches and CVEs that do not apply. It comes from texts of SBOMs, and from reports that builds write beside them.
alter table vex_documents
  drop constraint vex_documents_format_check,
  add constraint vex_documents_format_check
    check (format in ('OpenVex', 'CycloneDx', 'Csaf', 'Spdx3', 'Build')) not valid;
alter table sboms
  drop constraint sboms_format_check,
  add constraint sboms_format_check check (format in ('Spdx3JsonLd', 'Spdx2Json', 'Spdx2TagValue', 'CycloneDxJson',
    'CycloneDxXml', 'YoctoCveCheck', 'BuildrootShowInfo', 'BuildrootPkgStats')) not valid;
