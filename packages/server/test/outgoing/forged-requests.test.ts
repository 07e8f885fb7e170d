/**
 * Server-side request forgery: forms of addresses by which a record could make the server call its
 * own network. Each is refused before a byte leaves, and the listening server hears nothing.
 */
import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { makeOutgoing, type Outgoing } from '../../src/outgoing/outgoing.ts'
import { OutgoingRefused } from '../../src/outgoing/outgoing-refused.ts'

let server: Server
let port: number
let heard: string[] = []
/** The answers of the resolver, in turn. */
let answers: LookupAddress[][] = []
let asked = 0
const v4 = (address: string): LookupAddress => ({ address, family: 4 })
const v6 = (address: string): LookupAddress => ({ address, family: 6 })

const resolve = (_: string, done: (error: null, addresses: LookupAddress[]) => void) => {
  asked += 1
  done(null, answers[Math.min(asked, answers.length) - 1] ?? [])
}

let outgoing: Outgoing
const make = (allow: readonly string[] = [], proxy = {}) => makeOutgoing({ allow, proxy, resolve })

before(async () => {
  server = createServer((request, response) => {
    heard.push(`${request.method} ${request.url}`)
    const to = new URL(request.url ?? '/', 'http://here').searchParams.get('to')
    if (to) response.writeHead(302, { location: to }).end()
    else response.end('inside')
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  port = (server.address() as AddressInfo).port
  outgoing = make()
})
after(async () => {
  outgoing.close()
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
})

async function refusalOf(url: string, from = outgoing): Promise<string> {
  heard = []
  asked = 0
  try {
    const answer = await from.guarded('test')(url)
    await answer.body?.cancel()
    return `answered ${answer.status}`
  } catch (error) {
    assert.ok(error instanceof OutgoingRefused, `${url}: ${error}`)
    return error.reason
  }
}

const hosts = [
  '127.0.0.1', // plain
  '127.1', // short
  '2130706433', // decimal
  '017700000001', // octal
  '0177.0.0.1',
  '0x7f000001', // hexadecimal
  '0x7f.0.0.0x1',
  '①②⑦.⓪.⓪.①', // other digits, which the parser of addresses folds
  '127.0.0.1.', // the dot of the root
  '0', // this network, which some systems send to themselves
  '0.0.0.0',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]', // an IPv4 address inside
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]', // translated
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fd00::1]',
  '[fec0::1]',
  '[ff02::1]',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '169.254.169.254', // metadata of clouds
  '100.100.100.200',
  '168.63.129.16', // of Azure, although it is a public one
  '[fd00:ec2::254]',
  '192.0.0.192',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
]

describe('addresses of the own network', () => {
  for (const host of hosts)
    it(`refuses ${host}`, async () => {
      assert.equal(await refusalOf(`http://${host}:${port}/`), 'address')
      assert.deepEqual([heard, asked], [[], 0])
    })

  for (const address of ['127.0.0.1', '10.1.2.3', '169.254.169.254'])
    it(`refuses a name of ${address}`, async () => {
      answers = [[v4(address)]]
      assert.equal(await refusalOf(`http://inside.example:${port}/`), 'address')
      assert.deepEqual(heard, [])
    })

  it('refuses a name of which one address is inside', async () => {
    answers = [[v4('93.184.215.14'), v6('::1')]]
    assert.equal(await refusalOf(`http://both.example:${port}/`), 'address')
  })

  it('refuses an address that credentials in the URL hide', async () => {
    await assert.rejects(outgoing.guarded('test')(`http://public.example@127.0.0.1:${port}/`), TypeError)
    const gate = make(['gate.example'])
    answers = [[v4('127.0.0.1')]]
    const to = encodeURIComponent(`http://gate.example@127.0.0.1:${port}/`)
    assert.equal(await refusalOf(`http://gate.example:${port}/?to=${to}`, gate), 'address')
    gate.close()
  })

  for (const url of ['file:///etc/passwd', 'ftp://127.0.0.1/', 'data:text/plain,x', 'blob:http://127.0.0.1/x'])
    it(`refuses ${url}`, async () => {
      assert.equal(await refusalOf(url), 'scheme')
    })
})

describe('names', () => {
  it('are resolved once: the connection goes to the address that was checked', async () => {
    const allowed = make(['127.0.0.1/32'])
    answers = [[v4('127.0.0.1')], [v4('10.0.0.1')]]
    assert.equal(await refusalOf(`http://changes.example:${port}/`, allowed), 'answered 200')
    assert.equal(asked, 1)
    allowed.close()
  })

  it('are asked for once at a time: one that hangs holds up no other', async () => {
    const names: string[] = []
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = makeOutgoing({
      allow: ['*.example'],
      proxy: {},
      async resolve(name, done) {
        names.push(name)
        begun.resolve()
        if (name === 'hangs.example') await ended.promise
        done(null, [v4('127.0.0.1')])
      },
    })
    const hanging = [1, 2, 3].map(() => refusalOf(`http://hangs.example:${port}/`, slow))
    await begun.promise
    assert.equal(await refusalOf(`http://quick.example:${port}/`, slow), 'answered 200')
    assert.deepEqual(names, ['hangs.example', 'quick.example'])
    ended.resolve()
    assert.deepEqual(await Promise.all(hanging), Array(3).fill('answered 200'))
    slow.close()
  })

  it('an answer that has changed is checked again', async () => {
    const allowed = make(['127.0.0.1/32'])
    answers = [[v4('127.0.0.1')], [v4('127.0.0.2')]]
    const url = `http://changes.example:${port}/?to=http://changes.example:${port + 1 > 65_535 ? 1 : port + 1}/`
    assert.equal(await refusalOf(url, allowed), 'address')
    allowed.close()
  })

  it('that an operator allows may have any address', async () => {
    const allowed = make(['crm.internal', '*.svc.internal'])
    answers = [[v4('127.0.0.1')]]
    assert.equal(await refusalOf(`http://CRM.internal.:${port}/`, allowed), 'answered 200')
    assert.equal(await refusalOf(`http://a.svc.internal:${port}/`, allowed), 'answered 200')
    assert.equal(await refusalOf(`http://svc.internal:${port}/`, allowed), 'address')
    assert.equal(await refusalOf(`http://xcrm.internal:${port}/`, allowed), 'address')
    allowed.close()
  })
})

describe('redirects', () => {
  const allowed = () => make(['gate.example'])
  for (const [what, to, reason] of [
    ['to an address inside', 'http://169.254.169.254/latest', 'address'],
    ['to an address inside, in hexadecimal', 'http://0x7f000001/', 'address'],
    ['to a name of one', 'http://other.example/', 'address'],
    ['to another scheme', 'file:///etc/passwd', 'scheme'],
  ] as const)
    it(`${what} are refused`, async () => {
      const from = allowed()
      answers = [[v4('127.0.0.1')]]
      assert.equal(await refusalOf(`http://gate.example:${port}/?to=${encodeURIComponent(to)}`, from), reason)
      assert.equal(heard.length, 1)
      from.close()
    })

  it('end after five', async () => {
    const from = allowed()
    answers = [[v4('127.0.0.1')]]
    const self = `http://gate.example:${port}/`
    let url = self
    for (let i = 0; i < 7; i += 1) url = `${self}?to=${encodeURIComponent(url)}`
    assert.equal(await refusalOf(url, from), 'redirects')
    assert.equal(heard.length, 6)
    from.close()
  })
})

describe('behind a proxy', () => {
  it('the proxy is asked, and addresses inside are refused before', async () => {
    const proxied = make([], { HTTP_PROXY: `http://127.0.0.1:${port}` })
    answers = [[v4('10.0.0.1')]]
    assert.equal(await refusalOf('http://public.example/a', proxied), 'answered 200')
    assert.deepEqual([heard, asked], [['GET http://public.example/a'], 0])
    assert.equal(await refusalOf('http://10.0.0.1/', proxied), 'address')
    assert.equal(await refusalOf(`http://127.0.0.1:${port}/`, proxied), 'address')
    proxied.close()
  })

  it('NO_PROXY names are checked', async () => {
    const proxied = make([], { HTTP_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: 'near.example' })
    answers = [[v4('10.0.0.1')]]
    assert.equal(await refusalOf('http://near.example/a', proxied), 'address')
    proxied.close()
  })
})
