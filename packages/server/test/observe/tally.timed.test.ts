/** The delay of the metrics of several workers when one of them ends. */
import './tally.test.ts'
