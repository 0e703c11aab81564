/// The makers of TPMs, as the TCG Vendor ID Registry has them, and as certificates write them: `id:` and the number in
/// hex.
enum TPMManufacturer {
    /// Whether the TCG has registered the maker.
    static func isRegistered(_ text: String) -> Bool {
        number(text).map(registered.contains) ?? false
    }

    /// Whether it is the maker that the FIDO Alliance's tests use.
    static func isTest(_ text: String) -> Bool {
        number(text) == 0xffff_f1d0
    }

    /// The number in `id:` and 8 hex digits of either case; `nil` for another text.
    private static func number(_ text: String) -> UInt32? {
        let bytes = Array(text.utf8)
        guard bytes.count == 11, bytes.starts(with: "id:".utf8) else { return nil }
        var number: UInt32 = 0
        for byte in bytes.dropFirst(3) {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            number = number << 4 | UInt32(digit)
        }
        return number
    }

    /// The numbers are the makers' four letters in ASCII.
    private static let registered: Set<UInt32> = [
        0x414D_4400,  // AMD
        0x414E_5400,  // Ant Group
        0x4154_4D4C,  // Atmel
        0x4252_434D,  // Broadcom
        0x4353_434F,  // Cisco
        0x464C_5953,  // Flyslice Technologies
        0x474F_4F47,  // Google
        0x4849_5349,  // Huawei
        0x4850_4500,  // HPE
        0x4850_4900,  // HPI
        0x4942_4D00,  // IBM
        0x4946_5800,  // Infineon
        0x494E_5443,  // Intel
        0x4C45_4E00,  // Lenovo
        0x4D53_4654,  // Microsoft
        0x4E53_4700,  // NSING
        0x4E53_4D20,  // National Semiconductor
        0x4E54_4300,  // Nuvoton Technology
        0x4E54_5A00,  // Nationz
        0x5143_4F4D,  // Qualcomm
        0x524F_4343,  // Fuzhou Rockchip
        0x5345_414C,  // Wisekey
        0x5345_4345,  // SecEdge
        0x534D_534E,  // Samsung
        0x534D_5343,  // SMSC
        0x534E_5300,  // Sinosun
        0x5354_4D20,  // STMicroelectronics
        0x5458_4E00,  // Texas Instruments
        0x5745_4300,  // Winbond
    ]
}
