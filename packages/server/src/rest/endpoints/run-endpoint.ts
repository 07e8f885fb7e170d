/**
 * Runs the code of an endpoint under its time limit, and turns what it throws into errors that tell
 * callers nothing of the inside. The log names the endpoint.
 */
import { errorOf } from '../../base/outcomes/thrown-error.ts'
import { ApiError, errorCodes } from '../../errors.ts'
import type { HttpRequest } from '../../http/messages/exchange.ts'
import { inCode } from '../../record/guard/code-place.ts'
import type { DeclaredEndpoint } from '../../resource/endpoints/endpoint-declaration.ts'

export const secondsOtherwise = 30

/** An error of the caller stays; any other is a fault of the endpoint. */
export function faultOf({ partName }: DeclaredEndpoint, value: unknown): ApiError {
  const thrown = errorOf(value)
  const isNamed = thrown instanceof ApiError && (thrown.code !== 'internal' || thrown.cause instanceof ApiError)
  if (isNamed) return thrown
  const cause = new ApiError('internal', `The endpoint ${partName} failed`, {
    cause: thrown instanceof ApiError ? (thrown.cause ?? thrown) : thrown,
  })
  return new ApiError('internal', errorCodes.internal.title, { cause })
}

function tooSlow({ partName }: DeclaredEndpoint, seconds: number): ApiError {
  return new ApiError('unavailable', 'This took too long; try again later', {
    retryAfterSeconds: seconds,
    cause: new ApiError('unavailable', `The endpoint ${partName} took longer than ${seconds} s`, {
      cause: new Error('its time limit has passed'),
    }),
  })
}

export type EndpointRun = {
  /** The name of the code in the log. */
  readonly place: string
  /** Ends with the time limit, with the run, and when the client goes. */
  readonly signal: AbortSignal
  /** The result, if the work ends in time. It is called once. Throws `ApiError`. */
  within<T>(work: () => T | Promise<T>): Promise<T>
  /** Ends the run: the signal is aborted, so that what is left of it stops. */
  end(): void
}

export function startRun(declared: DeclaredEndpoint, request: Pick<HttpRequest, 'onLeft'>): EndpointRun {
  const { seconds = secondsOtherwise } = declared.endpoint.limits ?? {}
  const controller = new AbortController()
  const stay = request.onLeft(() => controller.abort(new Error('the client has disconnected')))
  const late = Promise.withResolvers<never>()
  late.promise.catch(() => undefined)
  const timer = setTimeout(() => {
    const error = tooSlow(declared, seconds)
    late.reject(error)
    controller.abort(error)
  }, seconds * 1000)
  const place = `endpoint ${declared.partName}`
  return {
    place,
    signal: controller.signal,
    async within(work) {
      try {
        return await Promise.race([late.promise, inCode(place, async () => work())])
      } catch (thrown) {
        throw faultOf(declared, thrown)
      } finally {
        clearTimeout(timer)
      }
    },
    end() {
      clearTimeout(timer)
      stay()
      controller.abort(new Error('the request is over'))
    },
  }
}
