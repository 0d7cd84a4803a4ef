package io.ntrail.formats.dump;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.dump.context.ProcessorContext;
import io.ntrail.formats.dump.streams.AssertionInfo;
import io.ntrail.formats.dump.streams.BreakpadInfo;
import io.ntrail.formats.dump.streams.CrashpadInfo;
import io.ntrail.formats.dump.streams.DumpTexts;
import io.ntrail.formats.dump.streams.DynamicFunctionTable;
import io.ntrail.formats.dump.streams.HandleInfo;
import io.ntrail.formats.dump.streams.HandleOperation;
import io.ntrail.formats.dump.streams.KaskoCrashKeys;
import io.ntrail.formats.dump.streams.MemoryInfoList;
import io.ntrail.formats.dump.streams.ProcessVmCounters;
import io.ntrail.formats.dump.streams.SystemMemoryInfo;
import io.ntrail.formats.dump.streams.ThreadInfo;
import io.ntrail.formats.dump.streams.ThreadNames;
import io.ntrail.formats.dump.streams.TokenInfo;
import java.util.List;
import java.util.Optional;

/** Reads everything that there is to read in a dump. */
final class AllStreams {
  private AllStreams() {}

  /** Reads a file, which may be refused; returns its gaps. */
  static List<Gap> read(byte[] content) {
    Gaps gaps = new Gaps();
    try (Minidump dump = Minidump.open(InputFile.of(content, "a.dmp"), gaps)) {
      read(dump);
    } catch (CannotGoOn e) {
      if (e.message().isEmpty()) {
        throw new AssertionError("a refusal without a reason", e);
      }
    }
    return gaps.list();
  }

  static void read(Minidump dump) {
    for (DumpThread thread : dump.threads()) {
      context(dump, dump.context(thread.context()));
    }
    dump.exception().ifPresent(exception -> context(dump, dump.context(exception.context())));
    MemoryRanges memory = dump.memory();
    long sum = 0;
    for (int range = 0; range < memory.count(); range++) {
      Bytes bytes = memory.readUpTo(memory.start(range), 0x100);
      sum += bytes.u8(0) + bytes.u8(bytes.length() - 1);
    }
    MemoryInfoList infos = MemoryInfoList.of(dump);
    for (int i = 0; i < infos.count(); i++) {
      sum += infos.get(i).size() + infos.at(infos.get(i).base()).hashCode();
    }
    int objects =
        ThreadInfo.of(dump).size()
            + ThreadNames.of(dump).size()
            + HandleInfo.of(dump).size()
            + HandleOperation.of(dump).size()
            + TokenInfo.of(dump).size()
            + KaskoCrashKeys.of(dump).size()
            + DumpTexts.comments(dump).size()
            + DumpTexts.linux(dump, StreamType.LINUX_MAPS).hashCode()
            + DynamicFunctionTable.of(dump).stream().mapToInt(t -> t.count()).sum()
            + SystemMemoryInfo.of(dump).hashCode()
            + ProcessVmCounters.of(dump).hashCode()
            + BreakpadInfo.of(dump).hashCode()
            + AssertionInfo.of(dump).hashCode()
            + CrashpadInfo.of(dump).hashCode();
    if (sum == 1 && objects == 1) {
      throw new AssertionError("so that nothing is left out");
    }
  }

  private static void context(Minidump dump, Optional<ProcessorContext> found) {
    found.ifPresent(context -> {
      int sum = context.registers().hashCode() + context.shadowStack(dump.xstate()).hashCode();
      if (context.hasVectors()) {
        sum += (int) (context.vectorLow(7) + context.vectorHigh(7));
      }
      if (sum == 1) {
        throw new AssertionError("so that nothing is left out");
      }
    });
  }
}
