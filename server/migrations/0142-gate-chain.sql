-- The release gate may demand besides that each image is linked to its SBOM (decision 119).
alter table workspaces drop constraint workspaces_gate_images_check;
alter table workspaces add constraint workspaces_gate_images_check
  check (gate_images <@ array['Signed', 'NoTestKey', 'NamedVersion', 'CounterNotLower', 'ChainComplete']);
