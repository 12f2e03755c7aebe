// A baseline of conformance excuses whole scenarios. This holds those of many
// checks to the checks that checks.json names, each with the feature that a server
// of tools alone does not have: node checks.mjs OUT checks.json
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const [out, file] = process.argv.slice(2)
const excused = JSON.parse(readFileSync(file))
const seen = new Set()
let faults = 0
const fault = (text) => {
  console.log(text)
  faults++
}
for (const folder of readdirSync(out)) {
  const scenario = folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '')
  const checks = JSON.parse(readFileSync(join(out, folder, 'checks.json')))
  const failed = new Set(checks.filter((c) => c.status === 'FAILURE' || c.status === 'WARNING').map((c) => c.id))
  const named = excused[scenario]
  seen.add(scenario)
  if (!named) {
    // Tasks are an extension that is not scored, and not offered.
    if (failed.size > 1 && !scenario.startsWith('tasks-')) fault(`${scenario}: ${failed.size} checks fail, and checks.json names none: ${[...failed]}`)
    continue
  }
  for (const id of failed) if (!named[id]) fault(`${scenario}: ${id} fails and is not excused: ${checks.find((c) => c.id === id).errorMessage}`)
  for (const id of Object.keys(named)) if (!failed.has(id)) fault(`${scenario}: ${id} is excused and does not fail`)
}
for (const scenario of Object.keys(excused)) if (!seen.has(scenario)) fault(`${scenario}: was not run`)
process.exit(faults === 0 ? 0 : 1)
