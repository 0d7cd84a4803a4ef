package io.ntrail.analysis.probe.compile;

import io.ntrail.analysis.probe.engine.Fault;
import io.ntrail.analysis.probe.engine.Run;
import io.ntrail.analysis.probe.engine.Value;
import io.ntrail.analysis.probe.types.Types;
import java.util.Optional;

/** Functions that read memory, or that write memory of the program. */
final class MemoryFunctions {
  private static final int IPV4 = 2;
  private static final int IPV6 = 23;

  private MemoryFunctions() {}

  /** Returns the value of a call; empty if it is another function. */
  static Optional<Value> call(Functions.Arguments arguments, Environment environment) {
    return Optional.ofNullable(
        switch (arguments.call().function()) {
          case "alloca" -> {
            Value size = arguments.count(1, 1).number(0);
            yield Value.number(Types.ADDRESS, run -> run.memory().allocate(size.number().get(run)));
          }
          case "copyin" -> {
            Value from = arguments.count(2, 2).number(0);
            Value size = arguments.number(1);
            yield Value.number(
                Types.ADDRESS,
                run -> {
                  byte[] bytes = run.memory().read(from.number().get(run), size.number().get(run));
                  long to = run.memory().allocate(bytes.length);
                  run.memory().write(to, bytes);
                  return to;
                });
          }
          case "copyinstr" -> {
            Value from = arguments.count(1, 2).number(0);
            Value most =
                arguments.has(1)
                    ? arguments.number(1)
                    : Value.constant(Types.INT, Integer.MAX_VALUE);
            int room = environment.options.size("strsize") - 1;
            yield Value.text(run ->
                run.memory()
                    .text(from.number().get(run), Math.clamp(most.number().get(run), 0, room)));
          }
          case "bcopy" -> {
            Value from = arguments.count(3, 3).number(0);
            Value to = arguments.number(1);
            Value size = arguments.number(2);
            yield Value.number(
                Types.VOID,
                run -> {
                  run.memory()
                      .write(
                          to.number().get(run),
                          run.memory().read(from.number().get(run), size.number().get(run)));
                  return 0;
                });
          }
          case "copyinto" -> {
            Value from = arguments.count(3, 3).number(0);
            Value size = arguments.number(1);
            Value to = arguments.number(2);
            yield Value.number(
                Types.VOID,
                run -> {
                  byte[] bytes = run.memory().read(from.number().get(run), size.number().get(run));
                  run.memory().write(to.number().get(run), bytes);
                  return 0;
                });
          }
          case "inet_ntop" -> {
            Value family = arguments.count(2, 2).number(0);
            Value address = arguments.any(1);
            yield Value.text(run -> {
              long kind = family.number().get(run);
              return switch ((int) kind) {
                case IPV4 -> InternetAddresses.v4(bytes(run, address, 4));
                // The number that Windows gives it, and that of Linux and that of Solaris.
                case IPV6, 10, 26 -> InternetAddresses.v6(bytes(run, address, 16));
                default -> throw new Fault(Fault.Kind.ILLOP, 0);
              };
            });
          }
          case "inet_ntoa6" -> {
            Value address = arguments.count(1, 1).any(0);
            yield Value.text(run -> InternetAddresses.v6(bytes(run, address, 16)));
          }
          case "inet_ntoa" -> {
            Value address = arguments.count(1, 1).any(0);
            yield Value.text(run -> InternetAddresses.v4(bytes(run, address, 4)));
          }
          default -> null;
        });
  }

  private static byte[] bytes(Run run, Value address, int length) {
    return run.memory().read(address.number().get(run), length);
  }
}
