/** `npm start`: serves the shop until it is told to stop. */
import { runService } from 'bindery-server'

await runService(async () => (await import('./resources/index.ts')).resources)
