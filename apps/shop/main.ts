/** `npm start`: serves the shop until it is told to stop. */
import { runService } from 'bindery-server'
import { resources } from './resources/index.ts'

await runService(resources)
