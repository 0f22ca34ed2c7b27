use mere_core::request::Reader;
use mere_engine::policy::InstallPermit;

fn forge(reader: Reader) -> InstallPermit {
    InstallPermit { reader }
}

fn main() {}
