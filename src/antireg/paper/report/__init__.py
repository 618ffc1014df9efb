"""The paper's tables and figures and the page that shows them, made from the rows."""
