/**
 * The cost of tracing while it is off: `node bench/untraced.ts`. The engine then loads no tracing
 * code and times no statements. Each step of a request still checks whether the request has a
 * trace. The program compares the engine's way to end a step with the same code without that check,
 * in turns.
 */
import {
  endStage,
  makeRequestMeasurements,
  type RequestMeasurements,
  type RequestStage,
  requestStages,
} from '../packages/server/src/observe/request-measurements.ts'
import { median } from './measure.ts'

function markUntraced(note: RequestMeasurements | undefined, stage: RequestStage): void {
  note?.watch?.ended(note, stage)
}

const requests = 200_000
const rounds = 60

/** Nanoseconds a request. */
function time(end: typeof endStage): number {
  const beganMs = performance.now()
  for (let i = 0; i < requests; i += 1) {
    const note = makeRequestMeasurements({
      requestId: 'id',
      traceId: undefined,
      route: '/things/:id',
      startedMs: i,
      watch: undefined,
    })
    for (const stage of requestStages) end(note, stage)
  }
  return ((performance.now() - beganMs) * 1e6) / requests
}

const taken = { traced: [] as number[], untraced: [] as number[] }
for (let round = 0; round < rounds; round += 1) {
  taken.traced.push(time(endStage))
  taken.untraced.push(time(markUntraced))
}
const [traced, untraced] = [median(taken.traced), median(taken.untraced)]
process.stdout.write(
  `Six steps with the question: ${traced.toFixed(1)} ns, without: ${untraced.toFixed(1)} ns a request\n`,
)
