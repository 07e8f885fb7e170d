/** The error of one part of a request, as that of the whole request. */
import { ApiError, type FieldProblem } from '../../errors.ts'

type ErrorPlace = { readonly message: string; readonly place: (mistake: FieldProblem) => FieldProblem }

/** `message`: the sentence, with the place of the part. */
export function placeError(error: ApiError, { message, place }: ErrorPlace): ApiError {
  const { challenge, requiredRoles, retryAfterSeconds, mistakes } = error
  return new ApiError(error.code, message, {
    cause: error,
    ...(challenge && { challenge }),
    ...(requiredRoles && { requiredRoles }),
    mistakes: mistakes.map(place),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}
