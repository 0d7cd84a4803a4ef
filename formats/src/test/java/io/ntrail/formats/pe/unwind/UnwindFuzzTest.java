package io.ntrail.formats.pe.unwind;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.handlers.CxxFunction;
import io.ntrail.formats.pe.handlers.FuncInfo3;
import io.ntrail.formats.pe.handlers.FuncInfo4;
import io.ntrail.formats.pe.handlers.ScopeTable;
import io.ntrail.formats.pe.handlers.SehFrame;
import io.ntrail.formats.pe.handlers.ThrowInfo;
import java.util.Arrays;

/** Whatever an image holds as unwind data, reading it ends in values. */
class UnwindFuzzTest {
  private static final int AT = UnwindImages.BODY;

  /**
   * The first byte says how many entries the function table has; the rest lies in the image from
   * 200h on, the table first.
   */
  @FuzzTest(maxDuration = "60s")
  void unwindInformation(byte[] data) {
    if (data.length == 0) {
      return;
    }
    byte[] body = Arrays.copyOfRange(data, 1, data.length);
    int entries = data[0] & 0xFF;
    PeImage image = UnwindImages.small(body, AT, (long) entries * RuntimeFunction.SIZE);
    FunctionTable table = FunctionTable.of(image);
    for (RuntimeFunction entry : table.entries()) {
      UnwindChain chain = table.chain(entry);
      check(chain.depth() <= RuntimeFunction.LIMIT, "a chain without end");
      for (UnwindChain.Link link : chain.links()) {
        check(link.info().codes().size() <= 255, "more codes than slots");
        check(!(link.info().hasHandler() && link.info().chained().isPresent()), "both");
      }
      table.find(entry.begin());
    }
    ArmFunctions.of(UnwindImages.small(MachineType.ARM64, body, AT, 8L * entries));
    ArmFunctions.of(UnwindImages.small(MachineType.ARMNT, body, AT, 8L * entries));
    FpoTable.of(Bytes.copyOf(body, "fpo")).find(0x1000);
  }

  /** The first byte says from where on, in the image from 200h on, handler data are read. */
  @FuzzTest(maxDuration = "60s")
  void handlerData(byte[] data) {
    if (data.length == 0) {
      return;
    }
    byte[] body = Arrays.copyOfRange(data, 1, data.length);
    long rva = AT + (data[0] & 0xFFL);
    PeImage image = UnwindImages.small(body, 0, 0);
    PeImage image32 = UnwindImages.small32(body);
    FuncInfo3 plain = FuncInfo3.read(image, rva);
    plain.stateAt(0x1000);
    check(plain.magic() != 0 || plain.damage().isPresent(), "no magic and no damage");
    FuncInfo4 packed = FuncInfo4.read(image, rva, 0x1000);
    packed.stateAt(0x1000);
    for (CxxFunction.Step step : packed.steps()) {
      check(step.toState() >= -1 && step.toState() < packed.steps().size(), "no such state");
    }
    FuncInfo3.read(image32, rva);
    ThrowInfo.read(image, rva);
    ThrowInfo.read(image32, rva);
    ScopeTable.read(image.view(), rva);
    SehFrame.of(image32, rva, Long.MAX_VALUE);
    SehFrame.cxx(image32, rva);
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }
}
