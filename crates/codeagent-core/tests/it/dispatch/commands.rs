//! Commands of command lines.

use super::check;

#[test]
fn a_command_runs_its_handler() {
    let cli = "import { make } from './make';
const wrapped = (run) => (argv) => run(argv);
function local(name: string, run) { return run; }
function clean() {}
export function register(cli) {
  cli
    .command({ command: `make [name]`, builder: (y) => y, handler: wrapped(make) })
    .command({ name: 'reset', handler: wrapped(local('a', (argv) => argv)) })
    .command({ command: ['start', '$0'], async handler(argv) {} })
    .command('clean <dir>', 'Removes files', (y) => y, clean)
    .command('quiet', false, { action: clean })
    .command('say', wrapped(clean))
    .command('described', 'Has no handler', (y) => y)
    .command({ ping: 1, handler: clean })
    .command('/a b', clean);
}
";
    let programs = "import { Command, program } from 'commander';
import yargs from 'yargs';
function serve() {}
program.command('serve [port]').description('..').action(serve);
const build = program.command('build');
build.action(() => serve());
export const test = new Command('test').option('-a').action(serve);
yargs.command('watch', '..', {}, serve);
serve.action(serve);
";
    check(
        &[
            ("cli.ts", cli),
            ("make.ts", "export function make() {}\n"),
            ("programs.ts", programs),
        ],
        &[
            "?runs cli.ts#register -> cli.ts#clean (clean <dir>) cli.ts:10",
            "?runs cli.ts#register -> cli.ts#clean (quiet) cli.ts:11",
            "?runs cli.ts#register -> cli.ts#clean (say) cli.ts:12",
            "runs cli.ts#register -> cli.ts#register (reset) cli.ts:8",
            "runs cli.ts#register -> cli.ts#register.handler (start) cli.ts:9",
            "runs cli.ts#register -> make.ts#make (make [name]) cli.ts:7",
            "runs programs.ts -> programs.ts (build) programs.ts:5",
            "runs programs.ts -> programs.ts#serve (serve [port]) programs.ts:4",
            "runs programs.ts -> programs.ts#serve (watch) programs.ts:8",
            "runs programs.ts#test -> programs.ts#serve (test) programs.ts:7",
        ],
    );
}
