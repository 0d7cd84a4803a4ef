package io.ntrail.programs.services;

import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * One system service.
 *
 * @param index number in the source: the number of the service where it is read from stubs (bits 0
 *     to 11 its place, bits 12 and 13 the table: 0 of the kernel, 1 of win32k), its index in the
 *     table where it is read from KiServicesTab
 * @param hash {@link ServiceNameHash} of its name; empty if the name is not that of a service
 * @param arguments their number; empty if the source does not have it
 * @param rva start of the stub, or in a kernel of the service itself
 * @param name with {@code Nt}; of a stub that is exported under another name, that one; null if
 *     unknown
 */
public record SystemService(
    int index, OptionalInt hash, OptionalInt arguments, long rva, @Nullable String name) {}
