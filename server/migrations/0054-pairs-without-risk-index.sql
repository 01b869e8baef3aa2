-- No statement reads vulnerabilities of components in the order of this index, but each change of a severity or a device writes it.
drop index workspace_component_vulnerabilities_risk;
