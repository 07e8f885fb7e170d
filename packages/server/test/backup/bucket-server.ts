/**
 * An S3 server on the loopback, behind a proxy that verifies each request: it signs it again with
 * another library and compares.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { AwsV4Signer } from 'aws4fetch'
import S3rver from 's3rver'
import { removeFolder, temporaryFolder } from '../helpers/application.ts'

const accessKeyId = 'S3RVER'
const secretAccessKey = 'a secret of the test'

/**
 * Signs what has come as its client did (AWS Signature Version 4), with the headers that it names.
 */
async function isSigned({ method = '', url = '', headers }: IncomingMessage): Promise<boolean> {
  const { authorization = '', host } = headers
  const signed = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? []
  const chosen = signed
    .filter((name) => name !== 'host')
    .map((name) => [name, String(headers[name])] as [string, string])
  const signer = new AwsV4Signer({
    method,
    url: `http://${host}${url}`,
    headers: chosen,
    accessKeyId,
    secretAccessKey,
    service: 's3',
    region: 'eu-test-1',
    datetime: String(headers['x-amz-date']),
    allHeaders: true,
  })
  const { headers: expected } = await signer.sign()
  const signatureOf = (text: string | null) => /Signature=([0-9a-f]{64})/.exec(text ?? '')?.[1]
  return (
    signatureOf(authorization) !== undefined &&
    signatureOf(authorization) === signatureOf(expected.get('authorization'))
  )
}

/**
 * A read of an object waits for the writes of it that go on. S3 shows an object when all of it is
 * there; this server shows its beginning.
 */
function makeWrites() {
  const going = new Map<string, Promise<unknown>>()
  return {
    async before({ method, url = '' }: IncomingMessage, answer: ServerResponse): Promise<void> {
      const [path = ''] = url.split('?')
      await going.get(path)
      if (method !== 'PUT') return
      const writing = new Promise<void>((resolve) => answer.once('close', resolve))
      going.set(path, writing)
      void writing.then(() => going.get(path) === writing && going.delete(path))
    },
  }
}

/** The same for an address that is signed, which has its signature in its query. */
async function isSignedAddress({ method = '', url = '', headers }: IncomingMessage): Promise<boolean> {
  const asked = new URL(`http://${headers.host}${url}`)
  const signature = asked.searchParams.get('X-Amz-Signature')
  const names = asked.searchParams.get('X-Amz-SignedHeaders')?.split(';') ?? []
  const datetime = asked.searchParams.get('X-Amz-Date') ?? ''
  const kept = asked.searchParams.get('X-Amz-Expires') ?? ''
  const own = [...asked.searchParams].filter(([name]) => !name.startsWith('X-Amz-'))
  asked.search = `?${new URLSearchParams([...own, ['X-Amz-Expires', kept]])}`
  const chosen = names
    .filter((name) => name !== 'host')
    .map((name) => [name, String(headers[name])] as [string, string])
  const given = { method, url: asked.href, headers: chosen, accessKeyId, secretAccessKey, datetime }
  const signer = new AwsV4Signer({ ...given, service: 's3', region: 'eu-test-1', signQuery: true, allHeaders: true })
  const { url: expected } = await signer.sign()
  return signature !== null && signature === expected.searchParams.get('X-Amz-Signature')
}

/** An address may name headers of its answer: `response-content-type=…`. */
function namedHeaders(url = ''): Record<string, string> {
  const parameters = new URL(url, 'http://bucket').searchParams
  const named = [...parameters].filter(([name]) => name.startsWith('response-'))
  return Object.fromEntries(named.map(([name, value]) => [name.slice('response-'.length), value]))
}

function refuse(incoming: IncomingMessage, answer: ServerResponse): void {
  incoming.resume()
  answer.writeHead(403, { 'content-type': 'application/xml' })
  answer.end('<Error><Code>SignatureDoesNotMatch</Code><Message>Another signature</Message></Error>')
}

/** Starts a server with one bucket; returns the variables that lead to it. */
export async function startBucket(t: Pick<TestContext, 'after'>, name: string): Promise<Record<string, string>> {
  const directory = temporaryFolder()
  const configureBuckets = [{ name, configs: [] }]
  const inner = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets })
  const { port: innerPort } = await inner.run()
  const written = makeWrites()
  const door = createServer(async (incoming, answer) => {
    const { method, headers } = incoming
    const isAddress = incoming.url?.includes('X-Amz-Signature=') === true
    const isRight = isAddress ? await isSignedAddress(incoming) : await isSigned(incoming)
    if (!isRight) return refuse(incoming, answer)
    const url = isAddress ? incoming.url?.split('?')[0] : incoming.url
    await written.before(incoming, answer)
    const onward = request({ host: '127.0.0.1', port: innerPort, method, path: url, headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 500, { ...reply.headers, ...namedHeaders(incoming.url) })
      reply.pipe(answer)
    })
    onward.on('error', () => answer.destroy()) // the client has gone, or the server
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  t.after(async () => {
    door.closeAllConnections()
    door.close()
    await inner.close()
    removeFolder(directory)
  })
  const AWS_ENDPOINT_URL = `http://127.0.0.1:${(door.address() as AddressInfo).port}`
  return {
    AWS_ENDPOINT_URL,
    AWS_REGION: 'eu-test-1',
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  }
}
