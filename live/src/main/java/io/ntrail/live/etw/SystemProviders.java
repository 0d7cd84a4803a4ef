package io.ntrail.live.etw;

import io.ntrail.formats.etl.groups.GroupMask;
import io.ntrail.formats.identity.Guid;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Providers by which the kernel of Windows 11 and Server 2022 logs what groups are for in earlier
 * versions; they are enabled in a session of the kernel, as providers of programs are.
 *
 * <p>Source: evntrace.h as translated by four public projects. A keyword is listed with the group
 * that has its name; those that no group says are not.
 */
public final class SystemProviders {
  /**
   * Provider that is to be enabled.
   *
   * @param name as the headers have it
   * @param guid of the provider
   * @param keywords MatchAnyKeyword
   */
  public record Enabled(String name, Guid guid, long keywords) {}

  /**
   * Providers that are to be enabled for a mask.
   *
   * @param providers that log it
   * @param left groups that no keyword is known for
   */
  public record Selection(List<Enabled> providers, GroupMask left) {
    /** Keeps the list from changes. */
    public Selection {
      providers = List.copyOf(providers);
    }
  }

  /** A line: name, GUID, keywords with the constants of their groups (hexadecimal). */
  private static final String PROVIDERS =
      """
      Alpc fcb9baaf-e529-4980-92e9-ced1a6aadfdf 1=100000
      Config fef3a8b6-318d-4b67-a96a-3b0f6b8f18fe 1=C0000001 2=C0000002 4=C0000004 8=C0000008 \
      10=C0000010 20=C0000020 40=C0000040
      Cpu c6c5265f-eae8-4650-aae4-9d48603d8510 1=40010000 2=84000000
      Hypervisor bafa072a-918a-4bed-b622-bc152097098f 1=80800000
      Interrupt d4bbee17-b545-4888-858b-744169015b25 1=20004000 2=40040000 4=20000080 8=20040000 \
      10=81000000 20=82000000 40=40400000
      Io 3d5c43e3-0f1c-4202-b817-174c0070dc79 1=100 2=400 4=200 8=200000 10=2000000 20=80000001 \
      40=80000002 80=20000010 100=80020000 200=10000
      IoFilter fbd09363-9e22-4661-b8bf-e7a34b535b8c 1=80100000 2=80080000 4=80200000 8=80400000
      Lock 721ddfd3-dacc-4e1e-b26a-a2cb31d4705a 1=20010000 2=20200000 4=20020000
      Memory 82958ca9-b6cd-47f8-a3a8-03ae85a4bc24 1=20000001 2=2000 4=1000 8=20000040 10=20080000 \
      40=20800000 80=40000020 100=28000000 200=20100000 400=20008000 800=20000008 2000=20000020 \
      4000=8000
      Object febd7460-3d1d-47eb-af49-c9eeb1e146f2 1=80000040 2=80000080
      Power c134884a-32d5-4488-80e5-14ed7abb8269 1=80008000 2=A0000001 4=40008000 8=40200000 \
      10=44000000
      Process 151f55dc-467d-471f-83b5-5f889d46ff66 1=1 2=20000800 4=40000002 8=8 10=80002000 \
      20=80000200 40=80000400 80=400000 100=40000 200=80000 400=48000000 800=2 1000=4
      Profile bfeb0324-1cee-496f-a409-2ac2b48a6322 1=20000002 2=20000400
      Registry 16156bd9-fab4-4cfa-a232-89d1099058e3 1=20000 2=41000000 4=42000000
      Scheduler 599a2a76-4d91-4910-9ac7-7d33f2e97a6c 2=20000200 4=21000000 8=24000000 10=40000001 \
      20=40080000 40=20001000 80=20002000 200=20000004
      Syscall 434286f7-6f1b-45bb-b37e-95f623046c7c 1=40000040
      Timer 4f061568-e215-499f-ab2e-eda0ae890a5b 1=40020000 2=40100000
      """;

  private SystemProviders() {}

  /**
   * Returns the provider of a name as the headers have it ({@code SystemCpuProvider}), in any case.
   */
  public static Optional<Guid> named(String name) {
    return lines()
        .filter(words -> ("System" + words[0] + "Provider").equalsIgnoreCase(name))
        .map(words -> Guid.parse(words[1]))
        .findFirst();
  }

  /** Returns whether a provider is one of the system's: it is enabled in sessions of the kernel. */
  public static boolean has(Guid guid) {
    return lines().anyMatch(words -> Guid.parse(words[1]).equals(guid));
  }

  private static Stream<String[]> lines() {
    return PROVIDERS.lines().map(line -> line.split(" ", -1));
  }

  /** Returns what is to be enabled so that groups are logged. */
  public static Selection of(GroupMask mask) {
    GroupMask left = mask;
    List<Enabled> chosen = new ArrayList<>();
    for (String[] words : lines().toList()) {
      long keywords = 0;
      for (int i = 2; i < words.length; i++) {
        String[] parts = words[i].split("=", -1);
        GroupMask group = GroupMask.of(Integer.parseUnsignedInt(parts[1], 16));
        if (mask.hasAll(group)) {
          keywords |= Long.parseLong(parts[0], 16);
          left = left.without(group);
        }
      }
      if (keywords != 0) {
        chosen.add(new Enabled(words[0], Guid.parse(words[1]), keywords));
      }
    }
    return new Selection(chosen, left);
  }
}
