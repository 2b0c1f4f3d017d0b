{{#tools.owner}}
x
