"""Making maps: files, the server of the editor in the browser, and matches tried from there."""
