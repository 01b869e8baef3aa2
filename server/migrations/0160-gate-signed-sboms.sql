-- The release gate may demand besides that a trusted key signed each SBOM (decision 120).
alter table workspaces drop constraint workspaces_gate_images_check;
alter table workspaces add constraint workspaces_gate_images_check
  check (gate_images <@ array['Signed', 'NoTestKey', 'NamedVersion', 'CounterNotLower', 'ChainComplete', 'SbomSigned']);
