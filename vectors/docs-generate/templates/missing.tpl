Hello
{{tools.owner.nmae}}
