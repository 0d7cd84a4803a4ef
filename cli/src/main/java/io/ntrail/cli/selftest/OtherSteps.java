package io.ntrail.cli.selftest;

import io.ntrail.cli.selftest.Running.Ended;
import io.ntrail.cli.selftest.StepSkipped.Need;
import io.ntrail.formats.identity.FileTime;
import io.ntrail.formats.identity.RunningWindows;
import io.ntrail.live.machine.MachineQuestions;
import io.ntrail.live.selftest.SelfTestImages;
import io.ntrail.live.selftest.SelfTestProgram;
import io.ntrail.live.selftest.SelfTestProgram.Mode;
import io.ntrail.live.selftest.SelfTestProgram.Policy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Steps about exceptions, refusals and other tracers, and those left to persons. */
final class OtherSteps {
  private static final String EXCEPTIONS = "Exceptions";
  private static final String REFUSALS = "Refusals";
  private static final String RECORDING = "Recording the kernel";
  private static final String PROCESSOR_TRACE = "Processor Trace";
  private static final String TRACERS = "Antivirus and other tracers";
  private static final String SYMBOLS = "Symbol servers";
  private static final String MERGING = "Merging";
  private static final String NUMBERS = "Numbers";
  private static final String NO_X86 = "this system runs no programs for x86";
  private static final String MITIGATION =
      "powershell Set-ProcessMitigation -Name charmap.exe -Enable ";
  private static final String ON_CHARMAP =
      ", then ntrail trace -f \"*!*\" -- charmap, then -Disable";

  private OtherSteps() {}

  static List<Step> all() {
    List<Step> all = new ArrayList<>();
    all.addAll(exceptions());
    all.addAll(refusals());
    all.addAll(recording());
    all.addAll(processorTrace());
    all.addAll(tracers());
    all.addAll(symbols());
    all.addAll(merging());
    all.add(Step.of(NUMBERS, "the overhead of a call is measured", StartSteps::overhead));
    return all;
  }

  private static List<Step> exceptions() {
    return List.of(
        Step.of(EXCEPTIONS, "frames that an exception leaves are unwound", OtherSteps::unwound),
        Step.of(EXCEPTIONS, "powershell throws and catches", OtherSteps::powershell),
        Step.person(
            EXCEPTIONS,
            "a C++ program throws through traced functions",
            Need.PERSON,
            "a C++ program of your own",
            "ntrail trace -f \"PROGRAM!*\" -- PROGRAM, then ntrail calls PROGRAM.ntr"),
        Step.person(
            EXCEPTIONS,
            "a debugger walks through traced frames",
            Need.PERSON,
            "a debugger",
            "Task Manager, Create dump file of a traced program; open it, walk its stacks"));
  }

  private static List<Step> refusals() {
    return List.of(
        Step.of(REFUSALS, "a program for x86 is traced", OtherSteps::startX86),
        Step.of(REFUSALS, "a program for x86 is attached to", OtherSteps::attachX86),
        Step.of(REFUSALS, "a program that forbids dynamic code", OtherSteps::dynamicCode),
        Step.of(REFUSALS, "with a shadow stack, entries only", OtherSteps::shadowStack),
        administrator(
            "dynamic code forbidden from outside", MITIGATION + "BlockDynamicCode" + ON_CHARMAP),
        administrator(
            "a shadow stack asked for from outside", MITIGATION + "UserShadowStack" + ON_CHARMAP),
        administrator(
            "a strict shadow stack", MITIGATION + "UserShadowStackStrictMode" + ON_CHARMAP),
        administrator("a protected process is refused", "ntrail trace -p csrss -f \"*!*\""),
        administrator(
            "a service can be attached to",
            "ntrail trace -p spoolsv -f \"ntdll!Rtl*\" -o h.ntr, then Ctrl+C, sc query spooler"),
        Step.person(
            REFUSALS,
            "a process of others is refused without administrator",
            Need.PERSON,
            "one who knows the rights of the prompt",
            "ntrail trace -p lsass -f \"*!*\""),
        Step.person(
            REFUSALS,
            "x64 programs on ARM64",
            Need.SYSTEM,
            "a machine of ARM64",
            "ntrail trace -p PROGRAM -f \"*!*\""));
  }

  private static Step administrator(String title, String type) {
    return Step.person(REFUSALS, title, Need.ADMINISTRATOR, "", type);
  }

  private static List<Step> recording() {
    String start = "ntrail record start --kernel cpu+disk --stacks Profile -o %TEMP%\\k.etl";
    String boot = "ntrail record boot --kernel cpu+disk --stacks Profile";
    return List.of(
        Step.person(
            RECORDING,
            "without administrator it is refused",
            Need.PERSON,
            "a user who is no administrator",
            start),
        Step.person(
            RECORDING,
            "a recording starts and tells its losses",
            Need.ADMINISTRATOR,
            "",
            start + ", then ntrail record status"),
        Step.person(
            RECORDING,
            "a second start is refused",
            Need.ADMINISTRATOR,
            "",
            start + " twice, then with --take-over"),
        Step.person(
            RECORDING,
            "what is stopped is merged",
            Need.ADMINISTRATOR,
            "",
            "ntrail record stop, then ntrail info %TEMP%\\k.etl and ntrail profile %TEMP%\\k.etl"),
        Step.person(
            RECORDING,
            "a killed recording is stopped by name",
            Need.ADMINISTRATOR,
            "",
            start + " --while cmd -- /c pause, end java.exe, ntrail record stop"),
        Step.person(
            RECORDING,
            "a disk without room is refused",
            Need.PERSON,
            "a small disk",
            start + " --max-size 100G"),
        Step.person(
            RECORDING,
            "a full disk is told",
            Need.PERSON,
            "a small disk",
            start + ", ntrail record watch, fill the disk, ntrail record stop -o %TEMP%\\k.etl"),
        Step.person(
            RECORDING,
            "a file that ends ends its session",
            Need.ADMINISTRATOR,
            "",
            start + " --log sequential --max-size 64M, ntrail record watch"),
        Step.person(
            RECORDING,
            "a session is taken over at once",
            Need.ADMINISTRATOR,
            "",
            start + " twice, the second time with --take-over"),
        Step.person(
            RECORDING,
            "sessions are listed without rights, too",
            Need.PERSON,
            "a user who is no administrator",
            "ntrail record list"),
        Step.person(
            RECORDING,
            "a mark is recorded",
            Need.ADMINISTRATOR,
            "",
            "ntrail record mark here, ntrail events %TEMP%\\k.etl -e PerfInfo/Mark"),
        Step.person(
            RECORDING, "events are watched", Need.ADMINISTRATOR, "", "ntrail record watch -n 100"),
        Step.person(
            RECORDING,
            "events of a session without a file are watched",
            Need.ADMINISTRATOR,
            "",
            "logman start live -p Microsoft-Windows-Kernel-Process 0x10 5 -rt -ets, ntrail record"
                + " watch live, open programs, Ctrl+C, logman stop live -ets"),
        Step.person(
            RECORDING,
            "a flight recorder writes its memory",
            Need.ADMINISTRATOR,
            "",
            "ntrail record start --kernel cpu --dotnet --flight-recorder, a minute later"
                + " ntrail record snapshot -o a.etl"),
        Step.person(
            RECORDING,
            "providers and .NET are recorded with the kernel",
            Need.ADMINISTRATOR,
            "",
            "ntrail record start --kernel cpu --dotnet --provider Microsoft-Windows-DNS-Client"
                + " --etl %TEMP%\\p.etl, then ntrail record stop"),
        Step.person(
            RECORDING,
            "samples come at the interval, and by a counter",
            Need.ADMINISTRATOR,
            "",
            "ntrail record start --kernel cpu --interval 0.25ms --sample TotalIssues=1000000"
                + " --etl %TEMP%\\c.etl, then ntrail record stop"),
        Step.person(
            RECORDING,
            "heaps are recorded",
            Need.ADMINISTRATOR,
            "",
            "ntrail record start --kernel PROC_THREAD+LOADER --heap notepad.exe -o %TEMP%\\h.etl,"
                + " start notepad, ntrail record stop"),
        Step.person(
            RECORDING,
            "pool tags are chosen",
            Need.ADMINISTRATOR,
            "",
            "ntrail record start --kernel POOL --pool-tags Ntff --etl %TEMP%\\t.etl, then"
                + " ntrail record stop"),
        Step.person(
            RECORDING,
            "pool tags of a pattern are chosen",
            Need.ADMINISTRATOR,
            "",
            "ntrail record start --kernel POOL --pool-tags Nt* --etl %TEMP%\\t.etl, then"
                + " ntrail record stop"),
        Step.person(
            RECORDING,
            "a session of heaps that ended leaves nothing",
            Need.ADMINISTRATOR,
            "",
            "ntrail record start --heap notepad.exe --etl %TEMP%\\h.etl, logman stop ntrail-heap"
                + " -ets, ntrail doctor, ntrail record list"),
        Step.person(
            RECORDING,
            "a provider tells its state",
            Need.ADMINISTRATOR,
            "",
            "ntrail record start --provider Microsoft-Windows-Kernel-Process:0x10:5:state"
                + " --etl %TEMP%\\s.etl, then ntrail record stop"),
        Step.person(
            RECORDING,
            "a boot is recorded",
            Need.PERSON,
            "a restart",
            boot + ", restart, ntrail record boot --stop -o b.etl, ntrail record boot --cancel"),
        Step.person(
            RECORDING,
            "a boot is recorded by a profile",
            Need.PERSON,
            "a restart",
            "ntrail record boot --profile FILE.wprp --etl C:\\b.etl, restart,"
                + " ntrail record boot --stop -o b.etl, ntrail record boot --cancel"),
        Step.person(
            RECORDING,
            "a boot is recorded by a file",
            Need.PERSON,
            "a restart",
            boot + " --reg b.reg, reg import b.reg, restart, reg import b.reg.undo.reg"));
  }

  private static List<Step> processorTrace() {
    String record = "ntrail pt record -p explorer -o %TEMP%\\i.bin";
    return List.of(
        Step.person(
            PROCESSOR_TRACE,
            "the driver traces a program",
            Need.ADMINISTRATOR,
            "",
            record + " --for 2s, then ntrail pt packets %TEMP%\\i.bin -t TID --count"),
        Step.person(
            PROCESSOR_TRACE,
            "only some addresses are traced",
            Need.ADMINISTRATOR,
            "",
            record + " --for 2s --filter FROM-TO"),
        Step.person(
            PROCESSOR_TRACE,
            "a program that ends",
            Need.ADMINISTRATOR,
            "",
            "ntrail pt record -p notepad -o %TEMP%\\n.bin, close it"),
        Step.person(
            PROCESSOR_TRACE,
            "a killed trace is taken over",
            Need.ADMINISTRATOR,
            "",
            record + ", end java.exe, the same again, then with --take-over"));
  }

  private static List<Step> tracers() {
    return List.of(
        Step.of(TRACERS, "functions of ntdll that others patched are found", OtherSteps::foreign),
        Step.person(
            TRACERS,
            "Defender's protection lets the agent run",
            Need.PERSON,
            "one who knows what protection is on",
            "ntrail doctor --self-test with it on, and note its name"),
        Step.person(
            TRACERS,
            "with Process Monitor or a debugger attached",
            Need.PERSON,
            "Process Monitor",
            "ntrail trace -p PROGRAM -f \"*!*\""));
  }

  private static List<Step> symbols() {
    String fetch = "ntrail symbols FILE.etl --hot 3 --fetch --server https://SERVER/symbols";
    String why = "a symbol server";
    return List.of(
        Step.person(
            SYMBOLS, "two downloads at once", Need.PERSON, why, fetch + " in two windows at once"),
        Step.person(
            SYMBOLS,
            "a download is interrupted and resumed",
            Need.PERSON,
            why,
            fetch + ", then Ctrl+C, then the same again"));
  }

  private static List<Step> merging() {
    String merge = "ntrail merge k.etl -o m.etl";
    return List.of(
        Step.of(MERGING, "the machine tells what a merge adds", OtherSteps::machine),
        Step.person(
            MERGING,
            "a merge asks the machine that was recorded",
            Need.ADMINISTRATOR,
            "",
            "logman start \"NT Kernel Logger\" -p \"Windows Kernel Trace\" (process,img) -o k.etl"
                + " -ets, then logman stop \"NT Kernel Logger\" -ets, then "
                + merge),
        Step.person(
            MERGING, "another boot is not asked", Need.PERSON, "a restart", "restart, " + merge));
  }

  private static String unwound(Bench bench) throws IOException, InterruptedException {
    Running.Ended traced =
        bench
            .ntrail(
                "trace",
                "-f",
                bench.name() + "!thrower",
                "-f",
                "ntdll!RtlRaiseException",
                "-o",
                "calls.ntr",
                "--",
                bench.word(),
                Mode.WORK.word())
            .exits(Mode.WORK.exitCode());
    if (traced.err().contains("recording entries only")) {
      return "recording entries only";
    }
    String code = Integer.toHexString(SelfTestProgram.EXCEPTION);
    Running.Ended listed =
        bench.ntrail("calls", "calls.ntr", "--find", "*!thrower", "-n", "3").exits(0);
    listed.says("UNWIND").says(code);
    return "UNWIND (" + code + ")";
  }

  private static String powershell(Bench bench) throws IOException, InterruptedException {
    String command = "try { throw 'x' } catch { 'caught' }";
    String[] patterns = {"-f", "kernelbase!*", "-f", "ntdll!Rtl*"};
    return StartSteps.powershell(bench, command, "caught", patterns);
  }

  private static String startX86(Bench bench) throws IOException, InterruptedException {
    Ended ended =
        bench.ntrail(
            "trace",
            "-f",
            "kernel32!ExitProcess",
            "-o",
            "x86.ntr",
            "--",
            bench.word(SelfTestImages.X86));
    if (ended.err().contains("does not run ntrail's 32-bit agent")) {
      throw new StepSkipped(Need.SYSTEM, NO_X86);
    }
    ended.exits(SelfTestImages.X86_EXIT_CODE);
    bench.ntrail("calls", "x86.ntr").exits(0).says("ExitProcess");
    return "";
  }

  private static String attachX86(Bench bench) throws IOException, InterruptedException {
    Running program = bench.program(bench.name() + "-x86.exe", "");
    bench.moment(500);
    if (!program.process().isAlive()) {
      throw new StepSkipped(Need.SYSTEM, NO_X86);
    }
    bench
        .ntrail("trace", "-p", bench.name() + "-x86", "-f", "kernel32!Sleep", "--plan")
        .exits(0)
        .says("x86");
    if (!program.process().isAlive()) {
      throw new StepFailed("the program continues", "it ended: " + program.said());
    }
    return "";
  }

  private static String dynamicCode(Bench bench) throws IOException, InterruptedException {
    Running program = bench.program(Mode.GUARDED).awaitText(SelfTestProgram.READY, 1);
    if (!program.said().contains(SelfTestProgram.FORBIDDEN)) {
      bench.stop(program);
      throw new StepSkipped(Need.SYSTEM, "this system does not keep the policy, or does not tell");
    }
    bench
        .ntrail("trace", "-p", bench.name(), "-f", "*!*", "-o", "calls.ntr")
        .exits(4)
        .tells("the program forbids dynamic code")
        .tells("try: ");
    bench.stop(program);
    return "";
  }

  private static String shadowStack(Bench bench) throws IOException, InterruptedException {
    String program = bench.name() + "-cet.exe";
    Running.Ended asked = bench.program(program, Mode.POLICIES.word()).end().exits(0);
    String flags = TestedMachine.policy(asked.out(), Policy.SHADOW_STACK);
    if (flags.equals(TestedMachine.UNKNOWN)) {
      throw new StepSkipped(Need.SYSTEM, "the policy of shadow stacks cannot be queried here");
    }
    if ((Integer.parseUnsignedInt(flags, 16) & 1) == 0) {
      throw new StepSkipped(
          Need.SYSTEM, "no shadow stack for a program that asks for one: " + flags);
    }
    bench
        .ntrail(
            "trace",
            "-f",
            bench.name() + "-cet!*",
            "-o",
            "calls.ntr",
            "--",
            bench.word(program),
            Mode.WORK.word())
        .exits(Mode.WORK.exitCode())
        .says(SelfTestProgram.DONE)
        .tells("recording entries only");
    return "";
  }

  private static String foreign(Bench bench) throws IOException, InterruptedException {
    Running.Ended ended =
        bench
            .ntrail(
                "trace",
                "--plan",
                "--format",
                "json",
                "-f",
                "ntdll!Nt*",
                "--",
                bench.word(),
                Mode.NOTHING.word())
            .exits(0);
    Report functions = bench.report("the plan", ended.out()).get("functions");
    functions.atLeast("matched", 1);
    String reasons = StartSteps.counts(functions.get("byReason"));
    return "patched by another tool: %d; skipped: %s"
        .formatted(
            functions
                .get("byReason")
                .json()
                .find("FOREIGN_PATCH")
                .flatMap(one -> one.number())
                .orElse(0.0)
                .longValue(),
            reasons.isEmpty() ? "none" : reasons);
  }

  private static String machine(Bench bench) {
    RunningWindows machine = MachineQuestions.ask(bench.host());
    String windows = machine.windowsDirectory();
    if (!windows.matches("[A-Z]:\\\\.+\\\\")) {
      throw new StepFailed("a folder of Windows", windows);
    }
    String system = windows.substring(0, 3);
    String letters =
        machine.volumes().stream()
            .map(volume -> volume.drive() + " " + volume.device())
            .collect(Collectors.joining(", "));
    if (machine.volumes().stream().noneMatch(volume -> volume.drive().equals(system))) {
      throw new StepFailed("a volume of " + system, letters);
    }
    String build = machine.buildLab().isEmpty() ? "without a build lab" : machine.buildLab();
    return "build %d, %s, %s, booted at %s; %s"
        .formatted(
            machine.build(),
            machine.productName(),
            build,
            FileTime.text(machine.bootTime()),
            letters);
  }
}
