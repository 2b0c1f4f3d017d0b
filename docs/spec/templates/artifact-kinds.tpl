# Artifact kinds

Every document that premath writes has a kind and a JSON Schema. `premath schema <kind>` prints the schema, and `schemas/` contains all of them.

| kind | content |
| --- | --- |
{{#schemas.kinds}}| [`{{kind}}`](../../schemas/{{kind}}.json) | {{title}} |
{{/schemas.kinds}}