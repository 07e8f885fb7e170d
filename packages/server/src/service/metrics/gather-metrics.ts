/**
 * Gathers the metrics of all processes of a service. Workers know only their own, so they ask the
 * leader, which asks all workers. A worker that does not answer in time counts with its last
 * values.
 */
import cluster, { type Worker } from 'node:cluster'
import type { Meter } from '../../observe/meter.ts'
import { joinFamilies, type MetricFamily } from '../../observe/metric-family.ts'
import { makeProcessTotals } from '../../observe/process-totals.ts'
import type { Status } from '../../observe/status.ts'
import type { GatherFamilies, StatusWatch } from '../../observe/status-watch.ts'
import { takenHere } from './process-metrics.ts'

type GatheredKind = 'numbers' | 'status'
type WorkerQuestion = {
  readonly bindery: 'ask'
  readonly id: number
  readonly wanted: GatheredKind
  readonly lookMs: number
}
type WorkerReply = { readonly bindery: 'reply'; readonly id: number; readonly value: unknown }

const answerMsMax = 2_000
/** The leader may have to wait for a worker that hangs, and for the sample before. */
const leaderMsMax = 2 * answerMsMax + 500

type WorkerChannel = { send(message: WorkerQuestion | WorkerReply): unknown }

function isOurs(message: unknown): message is WorkerQuestion | WorkerReply {
  return typeof message === 'object' && message !== null && 'bindery' in message
}

/** Requests that wait for their replies; one numbering for all peers. */
function makeQuestions() {
  const waiting = new Map<number, { readonly peer: WorkerChannel; settle(value: unknown): void }>()
  let asked = 0
  return {
    /** Undefined where no answer comes in time. */
    ask<T>(
      peer: WorkerChannel,
      question: Pick<WorkerQuestion, 'wanted' | 'lookMs'>,
      waitMs: number,
    ): Promise<T | undefined> {
      asked += 1
      const id = asked
      return new Promise((resolve) => {
        const settle = (value: unknown) => {
          clearTimeout(timer)
          waiting.delete(id)
          resolve(value as T | undefined)
        }
        const timer = setTimeout(() => settle(undefined), waitMs)
        waiting.set(id, { peer, settle })
        try {
          peer.send({ bindery: 'ask', id, ...question })
        } catch {
          settle(undefined) // the peer has just ended
        }
      })
    },
    replied: ({ id, value }: WorkerReply) => waiting.get(id)?.settle(value),
    /** The peer has ended and will not answer. */
    left(gone: WorkerChannel): void {
      for (const { peer, settle } of waiting.values()) if (peer === gone) settle(undefined)
    },
  }
}

/** The metrics of this process, which counts requests for some time from now on. */
export function gatherLocally(meter: Meter): GatherFamilies {
  return (lookMs) => {
    meter.look(lookMs)
    return meter.collect()
  }
}

/** In a worker: answers the leader, and asks it for the status of all. */
export function joinWorkers(meter: Meter): () => Promise<Status | undefined> {
  const here = gatherLocally(meter)
  const questions = makeQuestions()
  const leader: WorkerChannel = { send: (message) => process.send?.(message) }
  process.on('message', (message: unknown) => {
    if (!isOurs(message)) return
    if (message.bindery === 'reply') questions.replied(message)
    else void here(message.lookMs).then((value) => leader.send({ bindery: 'reply', id: message.id, value }))
  })
  return () => questions.ask<Status>(leader, { wanted: 'status', lookMs: 0 }, leaderMsMax)
}

/**
 * In the leader: the metrics of all workers and its own. `answerStatus` answers the requests of
 * workers.
 */
export function gatherFromWorkers(): { readonly gather: GatherFamilies; answerStatus(watch: StatusWatch): void } {
  const questions = makeQuestions()
  const tally = makeProcessTotals()
  let watch: StatusWatch | undefined
  cluster.on('exit', (worker) => {
    questions.left(worker)
    tally.ended(worker.id)
  })
  cluster.on('message', (worker: Worker, message: unknown) => {
    if (!isOurs(message)) return
    if (message.bindery === 'reply') questions.replied(message)
    else
      void watch
        ?.status()
        .then((value) => worker.isConnected() && worker.send({ bindery: 'reply', id: message.id, value }))
  })
  return {
    async gather(lookMs) {
      const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected()) as Worker[]
      const ask = async (worker: Worker) => {
        const families = await questions.ask<MetricFamily[]>(worker, { wanted: 'numbers', lookMs }, answerMsMax)
        if (families && !worker.isDead()) tally.told(worker.id, families)
      }
      await Promise.all(workers.map(ask))
      return joinFamilies([takenHere(), tally.sum()])
    },
    answerStatus(given) {
      watch = given
    },
  }
}
