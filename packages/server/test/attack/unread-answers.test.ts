/** Pipelined requests: a client sends more before it reads earlier responses. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openMany, startVictim } from './victim.ts'

const host = 'Host: localhost\r\n'
const document = `GET /openapi.json HTTP/1.1\r\n${host}\r\n`
const small = `GET /shelves?limit=1 HTTP/1.1\r\n${host}\r\n`

const victim = await startVictim()
after(victim.stop)

test('two sockets with 12 documents and 2,400 small requests, unread: others are answered, and then they are, in order', () =>
  victim.survives(async () => {
    const wires = await openMany(victim.url, 2, () => document.repeat(12) + small.repeat(2400))
    for (const wire of wires) wire.socket.pause()
    await pause(3000)
    for (const wire of wires) {
      wire.socket.resume()
      for (let i = 0; i < 12; i += 1) assert.match((await wire.next()).body, /^\{"openapi"/)
      for (let i = 0; i < 2400; i += 1) assert.equal((await wire.next()).status, 200)
      wire.end()
    }
  }))

test('40 sockets that ask for a hundred documents each and read nothing', () =>
  victim.survives(async () => {
    const wires = await openMany(victim.url, 40, () => document.repeat(100))
    for (const wire of wires) wire.socket.pause()
    await pause(4000)
    for (const wire of wires) wire.end()
  }))

test('60 sockets full of the shortest requests there are', () =>
  victim.survives(async () => {
    const wires = await openMany(victim.url, 60, () => `${document}${'GET / HTTP/1.1\r\n\r\n'.repeat(3500)}`)
    for (const wire of wires) wire.socket.pause()
    await pause(3000)
    for (const wire of wires) wire.end()
  }))
