/** The first minute of the demo, with its clock. */
import './demo-minute.browser.test.ts'
