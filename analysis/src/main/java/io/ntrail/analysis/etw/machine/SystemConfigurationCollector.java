package io.ntrail.analysis.etw.machine;

import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.schema.Payload;
import org.jspecify.annotations.Nullable;

/**
 * Collects {@link SystemConfiguration}: of each kind of record the first one in the files counts.
 */
final class SystemConfigurationCollector {
  /** Position of a record: file, buffer, offset. */
  private record Place(int file, int buffer, int offset) {
    boolean before(@Nullable Place other) {
      if (other == null || file != other.file) {
        return other == null || file < other.file;
      }
      return buffer != other.buffer ? buffer < other.buffer : offset < other.offset;
    }
  }

  private record Cpu(
      String name, long processors, long megahertz, long memory, @Nullable String architecture) {}

  private @Nullable Place cpuPlace;
  private @Nullable Cpu cpu;
  private @Nullable Place buildPlace;
  private String buildLab = "";
  private String productName = "";

  private static Place place(int file, RecordCursor record) {
    return new Place(file, record.buffer(), record.offset());
  }

  /** A record CPU of the class SystemConfig. */
  void cpu(int file, RecordCursor record, Payload payload) {
    Place place = place(file, record);
    if (place.before(cpuPlace)) {
      cpuPlace = place;
      int architecture = payload.find("ProcessorArchitecture");
      cpu =
          new Cpu(
              KernelPayload.text(payload, "ComputerName"),
              KernelPayload.number(payload, "NumberOfProcessors"),
              KernelPayload.number(payload, "MHz"),
              KernelPayload.number(payload, "MemSize"),
              architecture < 0 ? null : architecture((int) payload.integer(architecture)));
    }
  }

  /** {@code PROCESSOR_ARCHITECTURE_*} of winnt.h. */
  private static @Nullable String architecture(int number) {
    return switch (number) {
      case 0 -> "x86";
      case 5 -> "ARM";
      case 9 -> "x64";
      case 12 -> "ARM64";
      default -> null;
    };
  }

  /** A record BuildInfo of the class SystemConfigEx. */
  void build(int file, RecordCursor record, Payload payload) {
    Place place = place(file, record);
    if (place.before(buildPlace)) {
      buildPlace = place;
      buildLab = KernelPayload.text(payload, "BuildLab");
      productName = KernelPayload.text(payload, "ProductName");
    }
  }

  void merge(SystemConfigurationCollector other) {
    Place otherCpu = other.cpuPlace;
    if (otherCpu != null && otherCpu.before(cpuPlace)) {
      cpuPlace = otherCpu;
      cpu = other.cpu;
    }
    Place otherBuild = other.buildPlace;
    if (otherBuild != null && otherBuild.before(buildPlace)) {
      buildPlace = otherBuild;
      buildLab = other.buildLab;
      productName = other.productName;
    }
  }

  SystemConfiguration result() {
    Cpu known = cpu;
    String architecture = known == null ? null : known.architecture;
    return new SystemConfiguration(
        known == null ? null : told(known.name),
        known == null ? 0 : known.processors,
        known == null ? 0 : known.megahertz,
        known == null ? 0 : known.memory,
        architecture == null ? ofLab(buildLab) : architecture,
        told(buildLab),
        told(productName));
  }

  private static @Nullable String told(String text) {
    return text.isEmpty() ? null : text;
  }

  /** The third part of a build lab is architecture and kind of build. */
  private static @Nullable String ofLab(String lab) {
    if (lab.contains(".amd64")) {
      return "x64";
    }
    if (lab.contains(".arm64")) {
      return "ARM64";
    }
    return lab.contains(".x86") ? "x86" : null;
  }
}
