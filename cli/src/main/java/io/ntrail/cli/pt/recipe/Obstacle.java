package io.ntrail.cli.pt.recipe;

import java.util.List;

/**
 * Reason for which Windows writes no Processor Trace, or one of no use.
 *
 * @param sign by which it is recognised
 * @param cause in a sentence
 * @param remedy what to do
 */
record Obstacle(String sign, String cause, String remedy) {
  /** Returns the usual ones, in the order in which they are met. */
  static List<Obstacle> usual() {
    return List.of(
        new Obstacle(
            "access is denied",
            "the prompt is not elevated: kernel sessions are for administrators",
            "start the command prompt with 'Run as administrator'"),
        new Obstacle(
            "a recording is running",
            "another one of WPR, or of the NT Kernel Logger, has not ended",
            "wpr -status; wpr -cancel; logman query -ets"),
        new Obstacle(
            "the profile is not valid",
            "this WPR is older than ProcessorTrace, or its schema spells something otherwise",
            "use WPR of a newer Windows ADK; its WPRControlProfiles.xsd lists events and code modes"),
        new Obstacle(
            "Processor Trace is not supported",
            "Windows before version 1803 (build 17134): the kernel logger cannot be told to trace",
            "winver; update Windows, or use another machine"),
        new Obstacle(
            "Processor Trace is not supported",
            "the processor has no Processor Trace: not Intel, or before Broadwell (2014)",
            "CPUID leaf 7, EBX bit 25 says whether it has it"),
        new Obstacle(
            "Processor Trace is not supported",
            "the hypervisor hides it: a virtual machine, or Windows itself above Hyper-V",
            "for a guest of Hyper-V, while it is off: Set-VMProcessor NAME -Perfmon @(\"ipt\");"
                + " else record on the bare machine, with virtualisation-based security off"),
        new Obstacle(
            "Processor Trace is in use",
            "it has one user at a time: ipt.sys (debuggers, ipttool), VTune, another session",
            "end the other tool; sc query ipt, sc stop ipt"),
        new Obstacle(
            "'ntrail info' finds no pieces",
            "the chosen events did not happen, or no keyword turned them on",
            "'ntrail events --count' tells which events there are"),
        new Obstacle(
            "pieces without PSB",
            "the ring is smaller than the distance of two PSBs, with which decoding begins",
            "a larger --ring"));
  }
}
