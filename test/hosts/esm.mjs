// A host application written in ES modules.
import Fastify from 'fastify'
import * as board from 'phaseboard'
import * as client from 'phaseboard/client'
import report from './report.cjs'

await report({ Fastify, board, client })
