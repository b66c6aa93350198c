// A host application written in CommonJS.
const report = require('./report.cjs')

report({
  Fastify: require('fastify'),
  board: require('phaseboard'),
  client: require('phaseboard/client'),
})
