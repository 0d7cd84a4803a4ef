package io.ntrail.live.target;

import io.ntrail.live.agent.AgentImage;
import io.ntrail.live.agent.StdioHelperImage;
import io.ntrail.live.code.Architecture;
import io.ntrail.live.code.CallTables;
import io.ntrail.live.code.LoaderCalls;
import io.ntrail.live.code.RecordLayout;
import io.ntrail.live.code.SamplePlaces;
import io.ntrail.live.code.SessionAddresses;
import io.ntrail.live.code.SessionCode;
import io.ntrail.live.code.StubWriter;
import io.ntrail.live.code.TlsSlots;
import io.ntrail.live.code.TracedCode;
import java.util.List;

/**
 * Practice for the start of a trace: makes what a trace puts into a program, and forgets it.
 *
 * <p>A program waits for all of it before its first instruction, and most of that time the JVM
 * loads and links what runs once. Who trains a start cache has this in it.
 */
public final class TracePractice {
  private static final int CHUNKS = 2;
  private static final int RECORD = 32;

  /** Any place where code may lie: a multiple of what areas need, in 32 bits. */
  private static final long PLACE = 0x2000_0000L;

  private static final byte[] PUSH_RBX_SUB_RSP = {0x40, 0x53, 0x48, (byte) 0x83, (byte) 0xEC, 0x20};

  private TracePractice() {}

  /** Makes everything once. */
  public static void run() {
    AgentImage.file();
    StdioHelperImage.file();
    Architectures.all().forEach(TracePractice::assemble);
  }

  /** Makes what goes into the program itself, if that is one of the usual architecture. */
  public static void assemble() {
    assemble(Architectures.usual());
  }

  /** Returns a place for stubs. */
  public static StubWriter stubs(Architecture architecture, long base) {
    return session(architecture).stubs(base);
  }

  private static SessionCode session(Architecture architecture) {
    return architecture.session(
        new SessionAddresses(
            PLACE,
            PLACE / 2,
            CHUNKS,
            new TlsSlots(1, 2),
            RecordLayout.of(RECORD),
            0,
            CallTables.NONE,
            SamplePlaces.NONE,
            0,
            0));
  }

  private static void assemble(Architecture architecture) {
    SessionCode code = session(architecture);
    long area = PLACE + architecture.areas().alignment();
    code.areas().template(area);
    code.areas().data(1);
    code.unwindTest(area, _ -> PLACE / 4);
    code.overheadTest(area);
    StubWriter stubs = code.stubs(area + architecture.areas().alignment());
    stubs.add(
        new TracedCode(PLACE + (1 << 24), PUSH_RBX_SUB_RSP, List.of(), new int[0], 0, true), 0);
    stubs.bytes();
    architecture.dllNotification(PLACE / 2, new LoaderCalls(PLACE / 4, PLACE / 4, PLACE / 4));
    architecture.lookupGuard();
    architecture.stores();
    architecture.callRoutine();
  }
}
