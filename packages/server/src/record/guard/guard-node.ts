/**
 * Wraps the public functions of Node by which code waits for something outside of its transaction.
 * Inside guarded code they throw; everywhere else they do what they did. Wrapped once for a process
 * that has such code. A function that a module has copied before is not wrapped.
 */
import childProcess from 'node:child_process'
import dgram from 'node:dgram'
import dns from 'node:dns'
import http from 'node:http'
import http2 from 'node:http2'
import https from 'node:https'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'
import { type Breach, isGuarded, noteGuarded, refuseGuarded } from './guarded-code.ts'

type AnyFunction = (this: unknown, ...given: unknown[]) => unknown
type Owner = Record<string | symbol, unknown>

/** Of a wrapped function: the check of this copy of the engine. */
const checkedBy = Symbol('checked by')

function wrap(owner: object, name: string, check: (self: unknown) => void): void {
  const original = (owner as Owner)[name]
  if (typeof original !== 'function') return
  function checked(this: unknown, ...given: unknown[]): unknown {
    check(this)
    return Reflect.apply(original as AnyFunction, this, given)
  }
  // Its name, and its promise-giving form for `promisify`.
  Object.defineProperties(checked, Object.getOwnPropertyDescriptors(original))
  Object.defineProperty(checked, checkedBy, { value: refuseGuarded })
  const { writable, ...described } = Object.getOwnPropertyDescriptor(owner, name) ?? { configurable: true }
  Object.defineProperty(owner, name, { ...described, writable: true, value: checked })
}

type Wrapped = readonly [owner: object, label: string, names: readonly string[]]

const namesOf = (owner: object) =>
  Object.getOwnPropertyNames(owner).filter((name) => /^(?:lookup|resolve|reverse)/.test(name))

const wrapped: Readonly<Record<Exclude<Breach, 'transaction'>, () => readonly Wrapped[]>> = {
  network: () => [
    [globalThis, '', ['fetch']],
    [http, 'http.', ['request', 'get']],
    [https, 'https.', ['request', 'get']],
    [http2, 'http2.', ['connect']],
    [net.Socket.prototype, 'net.Socket.', ['connect']],
    [dgram.Socket.prototype, 'dgram.Socket.', ['send', 'connect', 'bind']],
    [dns, 'dns.', namesOf(dns)],
    [dns.promises, 'dns.promises.', namesOf(dns.promises)],
    [dns.Resolver.prototype, 'dns.Resolver.', namesOf(dns.Resolver.prototype)],
  ],
  timer: () => [
    [globalThis, '', ['setTimeout', 'setInterval', 'setImmediate']],
    [timers, 'timers.', ['setTimeout', 'setInterval', 'setImmediate']],
    [timersPromises, 'timers.promises.', ['setTimeout', 'setInterval', 'setImmediate']],
    [Object.getPrototypeOf(timersPromises.scheduler), 'scheduler.', ['wait', 'yield']],
  ],
  process: () => [
    [childProcess, 'child_process.', ['spawn', 'exec', 'execFile', 'fork', 'spawnSync', 'execSync', 'execFileSync']],
  ],
}

/**
 * Another call may be using an open connection too. An error in the middle of a protocol could give
 * it the answer of this one, so the code fails at its end.
 */
function noteWrites(): void {
  const outgoing = new WeakSet()
  const { prototype } = net.Socket
  wrap(prototype, 'connect', (socket) => outgoing.add(socket as object))
  wrap(prototype, 'write', (socket) => {
    if (isGuarded() && outgoing.has(socket as object)) noteGuarded('network', 'a connection that was open')
  })
}

export function guardNode(): void {
  const { connect } = net.Socket.prototype as unknown as { connect: Owner }
  if (connect[checkedBy] === refuseGuarded) return
  for (const [breach, all] of Object.entries(wrapped) as [Exclude<Breach, 'transaction'>, () => readonly Wrapped[]][])
    for (const [owner, label, names] of all())
      for (const name of names) wrap(owner, name, () => refuseGuarded(breach, `${label}${name}`))
  noteWrites()
  syncBuiltinESMExports()
}
