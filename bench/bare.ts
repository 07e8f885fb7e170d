/**
 * The upper limit of the benchmark: a bare node:http server that sends the bodies of a JSON array
 * of texts in turn. Arguments: port, file.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [port, file] = process.argv.slice(2) as [string, string]
const bodies = (JSON.parse(readFileSync(file, 'utf8')) as string[]).map((text) => {
  const body = Buffer.from(text)
  return { body, headers: { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length } }
})
let turn = 0
const server = createServer((_request, response) => {
  const { body, headers } = bodies[turn++ % bodies.length] as (typeof bodies)[number]
  response.writeHead(200, headers)
  response.end(body)
})
server.listen(Number(port), '127.0.0.1')
process.on('SIGTERM', () => process.exit(0))
