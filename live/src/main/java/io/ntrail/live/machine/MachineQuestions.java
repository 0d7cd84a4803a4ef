package io.ntrail.live.machine;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.identity.FileTime;
import io.ntrail.formats.identity.RunningWindows;
import io.ntrail.formats.identity.RunningWindows.Volume;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.agent.CallOutcome;
import io.ntrail.live.windows.WindowsApi;
import io.ntrail.live.windows.WindowsVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Questions to the Windows that an agent runs on, about itself. They change nothing there. */
public final class MachineQuestions {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Bytes NOTHING = Bytes.copyOf(new byte[0], "registry");
  private static final String VERSION_KEY = "SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";

  /** HKEY_LOCAL_MACHINE, sign-extended as all predefined keys. */
  private static final long LOCAL_MACHINE = 0xFFFF_FFFF_8000_0002L;

  /** RRF_RT_REG_SZ. */
  private static final int TEXT = 0x2;

  /** RRF_RT_REG_DWORD. */
  private static final int NUMBER = 0x10;

  /** SystemTimeOfDayInformation: time of boot, time now, and others. */
  private static final int TIME_OF_DAY = 3;

  private static final int TIME_OF_DAY_BYTES = 48;

  /** ComputerNameNetBIOS, ComputerNameDnsHostname. */
  private static final int[] NAME_KINDS = {0, 1};

  /** Places in the scratch memory: a question, a second one, sizes, the answer. */
  private static final int QUESTION = 0;

  private static final int SECOND = 0x400;
  private static final int SIZE = 0x800;
  private static final int REPLY = 0x1000;

  /** Longest answer in characters; longer ones are taken as unknown. */
  private static final int MOST = 1024;

  private static final String DEVICE = "\\Device\\";

  private final WindowsApi calls;
  private final Agent agent;
  private final long cells;

  private MachineQuestions(Agent agent) {
    this.agent = agent;
    this.calls = new WindowsApi(agent);
    this.cells = agent.scratch();
  }

  /**
   * Asks the Windows of a host, with an agent that ends afterwards.
   *
   * @throws io.ntrail.formats.bytes.CannotGoOn if it does not answer
   */
  public static RunningWindows ask(AgentHost host) {
    try (Agent agent = Agent.on(host.start(), PATIENCE)) {
      return new MachineQuestions(agent).ask();
    }
  }

  private RunningWindows ask() {
    String windows = folder("kernel32!GetSystemWindowsDirectoryW");
    return new RunningWindows(
        bootTime(),
        ticksPerSecond(),
        WindowsVersion.of(calls).build(),
        names(),
        folder("kernel32!GetSystemDirectoryW"),
        windows.isEmpty() || windows.endsWith("\\") ? windows : windows + "\\",
        FileTime.ofUnixSeconds(installed()),
        registryText("BuildLabEx"),
        registryText("ProductName"),
        volumes());
  }

  private long bootTime() {
    agent.poke(cells + REPLY, new byte[TIME_OF_DAY_BYTES]);
    calls.mustSucceed(
        "the time of the boot is unknown",
        "ntdll!NtQuerySystemInformation",
        TIME_OF_DAY,
        cells + REPLY,
        TIME_OF_DAY_BYTES,
        0);
    return agent.peek(cells + REPLY, 8).i64(0);
  }

  private long ticksPerSecond() {
    agent.poke(cells + REPLY, new byte[8]);
    calls.must("the clock", "kernel32!QueryPerformanceFrequency", cells + REPLY);
    return agent.peek(cells + REPLY, 8).i64(0);
  }

  private List<String> names() {
    Set<String> names = new LinkedHashSet<>();
    for (int kind : NAME_KINDS) {
      agent.poke(cells + SIZE, new BytesBuilder(4).u32(MOST).toArray());
      CallOutcome outcome =
          calls.call("kernel32!GetComputerNameExW", kind, cells + REPLY, cells + SIZE);
      long length = agent.peek(cells + SIZE, 4).u32(0);
      if (outcome.isTrue() && length > 0 && length < MOST) {
        names.add(reply((int) length));
      }
    }
    return List.copyOf(names);
  }

  /** Returns a text of the reply. */
  private String reply(int length) {
    return agent.peek(cells + REPLY, 2 * length).utf16z(0, 2 * length);
  }

  private void put(int place, String text) {
    BytesBuilder bytes = new BytesBuilder(2 * text.length() + 2);
    agent.poke(cells + place, bytes.utf16z(text).toArray());
  }

  /** Asks for a folder; empty if there is none. */
  private String folder(String function) {
    long length = calls.call(function, cells + REPLY, MOST).asInt();
    return length > 0 && length < MOST ? reply((int) length) : "";
  }

  private Bytes registry(String name, int type) {
    put(QUESTION, VERSION_KEY);
    put(SECOND, name);
    agent.poke(cells + SIZE, new BytesBuilder(4).u32(2 * MOST).toArray());
    CallOutcome outcome =
        calls.call(
            "advapi32!RegGetValueW",
            LOCAL_MACHINE,
            cells + QUESTION,
            cells + SECOND,
            type,
            0,
            cells + REPLY,
            cells + SIZE);
    long size = agent.peek(cells + SIZE, 4).u32(0);
    boolean isThere = outcome.asInt() == 0 && size > 0 && size <= 2 * MOST;
    return isThere ? agent.peek(cells + REPLY, (int) size) : NOTHING;
  }

  private String registryText(String name) {
    Bytes text = registry(name, TEXT);
    return text.utf16z(0, text.length());
  }

  /** Seconds since 1970; 0 if unknown, as mergers have it. */
  private long installed() {
    Bytes number = registry("InstallDate", NUMBER);
    return number.length() < 4 ? 0 : number.u32(0);
  }

  private List<Volume> volumes() {
    List<Volume> volumes = new ArrayList<>();
    for (char letter = 'A'; letter <= 'Z'; letter++) {
      put(QUESTION, letter + ":");
      int length =
          calls.call("kernel32!QueryDosDeviceW", cells + QUESTION, cells + REPLY, MOST).asInt();
      String device = length > 0 && length <= MOST ? reply(length) : "";
      // Others are folders that a letter stands for, and shares of other machines.
      if (device.startsWith(DEVICE) && device.indexOf(';') < 0) {
        volumes.add(new Volume(device + '\\', letter + ":\\"));
      }
    }
    return List.copyOf(volumes);
  }
}
