/**
 * Clients that send or read slowly, as `slowhttptest` does.
 * `ATTACK_CONNECTIONS=3000 ATTACK_SECONDS=30 npm run test:timed -- attacks` runs the long form.
 */
import { after, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Wire } from '../helpers/wire.ts'
import { endAll, openMany, startVictim } from './victim.ts'

const connections = Number(process.env.ATTACK_CONNECTIONS ?? 200)
const seconds = Number(process.env.ATTACK_SECONDS ?? 2)
const host = 'Host: localhost\r\n'
const jsonHead = `POST /shelves HTTP/1.1\r\n${host}Content-Type: application/json\r\n`

const victim = await startVictim()
after(victim.stop)

/** Calls `act` for each client once a second. */
async function keepOn(wires: readonly Wire[], act: (wire: Wire) => void): Promise<void> {
  for (let i = 0; i < seconds; i += 1) {
    await pause(1000)
    for (const wire of wires) if (wire.socket.writable) act(wire)
  }
}

describe(`${connections} connections`, () => {
  test('heads of requests whose bodies never come', () =>
    victim.survives(async () => {
      const wires = await openMany(victim.url, Math.max(connections, 2010), () => {
        return `${jsonHead}Content-Length: 20\r\n\r\n`
      })
      await keepOn(wires, () => undefined)
      endAll(wires)
    }))

  test('bodies that come a byte a second', () =>
    victim.survives(async () => {
      const wires = await openMany(victim.url, connections, () => `${jsonHead}Content-Length: 100000\r\n\r\n{`)
      await keepOn(wires, (wire) => wire.send(' '))
      endAll(wires)
    }))

  test('headers that come one a second', () =>
    victim.survives(async () => {
      const wires = await openMany(victim.url, connections, () => `GET /shelves HTTP/1.1\r\n${host}`)
      await keepOn(wires, (wire) => wire.send('X-A: b\r\n'))
      endAll(wires)
    }))

  test('answers that are asked for again and again, and hardly read', () =>
    victim.survives(async () => {
      const wires = await openMany(victim.url, connections, () => {
        return `GET /openapi.json HTTP/1.1\r\n${host}\r\n`.repeat(3)
      })
      for (const wire of wires) wire.socket.pause()
      await keepOn(wires, (wire) => {
        wire.socket.resume()
        setImmediate(() => wire.socket.pause())
      })
      endAll(wires)
    }))
})
