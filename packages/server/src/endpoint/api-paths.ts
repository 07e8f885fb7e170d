/** Paths of the API that several rooms name. */
import { apiPrefix } from '../resource/words/api-prefix.ts'

export const batchPath = `${apiPrefix}/batch`
