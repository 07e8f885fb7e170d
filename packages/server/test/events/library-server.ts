/** The service of the library, for processes that are killed. */
import { runService } from '../../src/index.ts'
import { library } from './library.ts'

await runService(async () => library() as never)
