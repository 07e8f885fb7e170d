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

/** `by`: the wrapped function, as the code calls it. Returns the work in its place, if any. */
type Check = (self: unknown, by: AnyFunction) => (() => unknown) | undefined

function wrap(owner: object, name: string, check: Check): void {
  const original = (owner as Owner)[name]
  if (typeof original !== 'function') return
  function checked(this: unknown, ...given: unknown[]): unknown {
    const instead = check(this, checked)
    if (instead) return instead()
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

type NodeBreach = Extract<Breach, 'network' | 'timer' | 'process'>
const wrapped: Readonly<Record<NodeBreach, () => readonly Wrapped[]>> = {
  network: () => [
    [globalThis, '', ['fetch']],
    [http, 'http.', ['request', 'get']],
    [https, 'https.', ['request', 'get']],
    [http2, 'http2.', ['connect']],
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

const ofOthers = /\bnode:|[\\/]node_modules[\\/]/
/** These call the wrapped functions for their own callers. */
const passedThrough = /\bnode:(?:net|tls|_tls_\w+|_http_\w+|https?)\b/

/** Here Node goes on after an error that no code caught, which is no deed of the code. */
const afterError = /\bnode:internal\/process\/execution\b/

/** The line of the stack that called this, without those that pass a call on. */
function callerOf(by: AnyFunction): string {
  const here: { stack?: string } = {}
  Error.captureStackTrace(here, by)
  const callers = String(here.stack).split('\n').slice(1)
  return callers.find((line) => !passedThrough.test(line)) ?? ''
}

/**
 * The code fails at once, or at its end where a library or Node itself called the function for it.
 * An error in the middle of their work could leave a pool that others share half done.
 */
function refuse(breach: NodeBreach, label: string): Check {
  return (_, by) => {
    if (!isGuarded()) return undefined
    const caller = breach === 'timer' ? callerOf(by) : ''
    if (afterError.test(caller)) return undefined
    if (ofOthers.test(caller)) noteGuarded(breach, label)
    else refuseGuarded(breach, label)
    return undefined
  }
}

/** A library learns of it as of a connection that fails. */
const refuseConnection: Check = (socket, by) => {
  if (!isGuarded()) return undefined
  if (!ofOthers.test(callerOf(by))) refuseGuarded('network', 'net.Socket.connect')
  const error = noteGuarded('network', 'net.Socket.connect')
  // Without a listener an error ends the process.
  return error && (() => (socket as net.Socket).on('error', () => undefined).destroy(error))
}

/**
 * Another call may be using an open connection too. An error in the middle of a protocol could give
 * it the answer of this one, so the code fails at its end.
 */
function guardSockets(): void {
  const outgoing = new WeakSet()
  const { prototype } = net.Socket
  // One wrapper: a second one around it would be the caller that the check finds.
  wrap(prototype, 'connect', (socket, by) => {
    outgoing.add(socket as object)
    return refuseConnection(socket, by)
  })
  wrap(prototype, 'write', (socket) => {
    if (isGuarded() && outgoing.has(socket as object)) noteGuarded('network', 'a connection that was open')
    return undefined
  })
}

export function guardNode(): void {
  const { connect } = net.Socket.prototype as unknown as { connect: Owner }
  if (connect[checkedBy] === refuseGuarded) return
  for (const [breach, all] of Object.entries(wrapped) as [NodeBreach, () => readonly Wrapped[]][])
    for (const [owner, label, names] of all())
      for (const name of names) wrap(owner, name, refuse(breach, `${label}${name}`))
  guardSockets()
  syncBuiltinESMExports()
}
