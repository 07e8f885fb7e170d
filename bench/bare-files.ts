/**
 * A bare node:http server of files, beside which `files.ts` measures uploads. It hashes the bytes,
 * writes them to a new file, and answers when file and name are durable. Arguments: port, folder.
 */
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'

const [port, folder] = process.argv.slice(2) as [string, string]

async function take(request: IncomingMessage): Promise<string> {
  const name = randomUUID()
  const part = join(folder, `${name}.part`)
  const opened = await open(part, 'wx', 0o600)
  const hash = createHash('sha256')
  for await (const chunk of request) {
    hash.update(chunk)
    await opened.writeFile(chunk)
  }
  await opened.sync()
  await opened.close()
  await rename(part, join(folder, name))
  const names = await open(folder, 'r')
  await names.sync()
  await names.close()
  return JSON.stringify({ name, sha256: hash.digest('hex') })
}

const server = createServer(async (request, response) => {
  if (request.method === 'PUT') return void response.end(await take(request))
  const path = join(folder, String(request.url))
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) return void response.writeHead(404).end()
  response.writeHead(200, { 'content-length': found.size })
  createReadStream(path, { highWaterMark: 1 << 18 }).pipe(response)
})
server.listen(Number(port), '127.0.0.1')
process.on('SIGTERM', () => process.exit(0))
